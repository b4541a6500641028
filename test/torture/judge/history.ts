/** What a client saw of one call. `broken`: no complete answer came. `left`: the client hung up. */
export type SeenCall = {
  load: string
  accountId: string
  end: 'good' | 'refused' | 'broken' | 'left'
  status: number
  requestId?: string | undefined
  /** What the answer said it cost, in microcredits. */
  chargedMicro?: bigint | undefined
  /** A text that only this call has in its prompt, and so in what the upstream received. */
  mark?: string | undefined
  idempotencyKey?: string | undefined
  /** The body, where two answers must be equal. */
  text?: string | undefined
  /** How many records a good answer has: one for each stage. */
  stages?: number
}

export type History = {
  readonly seen: SeenCall[]
  add(one: SeenCall): void
  /** Something a client saw that must never happen. */
  violation(sentence: string): void
  readonly violations: string[]
  count(load: string, end: SeenCall['end'], status: number): void
  /** `chat good 200` → how often. */
  readonly counts: Map<string, number>
}

export function openHistory(): History {
  const seen: SeenCall[] = []
  const violations: string[] = []
  const counts = new Map<string, number>()
  const count = (load: string, end: SeenCall['end'], status: number) => {
    const name = `${load} ${end} ${status}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return {
    seen,
    violations,
    counts,
    count,
    add(one) {
      count(one.load, one.end, one.status)
      seen.push(one)
    },
    violation: (sentence) => void violations.push(sentence),
  }
}
