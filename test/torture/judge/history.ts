/** What one client saw of one call. `broken`: no whole answer came. `left`: it hung up itself. */
export type Seen = {
  load: string
  accountId: string
  end: 'good' | 'refused' | 'broken' | 'left'
  status: number
  requestId?: string | undefined
  /** What the answer said it cost, in microcredits. */
  chargedMicro?: bigint | undefined
  /** The words only this call bears: in its prompt, so in what the upstream received. */
  mark?: string | undefined
  idempotencyKey?: string | undefined
  /** The body, where two answers must be equal. */
  text?: string | undefined
  /** How many records a good answer has: one for each stage. */
  stages?: number
}

export type History = {
  readonly seen: Seen[]
  add(one: Seen): void
  /** Something a client saw that may never be. */
  wrong(sentence: string): void
  readonly wrongs: string[]
  count(load: string, end: Seen['end'], status: number): void
  /** `chat good 200` → how often. */
  readonly counts: Map<string, number>
}

export function openHistory(): History {
  const seen: Seen[] = []
  const wrongs: string[] = []
  const counts = new Map<string, number>()
  const count = (load: string, end: Seen['end'], status: number) => {
    const name = `${load} ${end} ${status}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return {
    seen,
    wrongs,
    counts,
    count,
    add(one) {
      count(one.load, one.end, one.status)
      seen.push(one)
    },
    wrong: (sentence) => void wrongs.push(sentence),
  }
}
