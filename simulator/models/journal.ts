/** What the simulator received and how it ended: the oracle for "one upstream call". */
export type JournalEntry = {
  id: number
  at: number
  method: string
  /** The path without its prefix and ids: `/chat/completions`, `/videos/{id}`. */
  route: string
  path: string
  model: string | undefined
  idempotencyKey: string | undefined
  headers: Record<string, string | string[] | undefined>
  body: unknown
  fault: string | undefined
  /** `left`: the reader went away first. `broken`: a fault cut it. */
  outcome: 'running' | 'finished' | 'left' | 'broken'
  status: number | undefined
  endedAt: number | undefined
  /** USD, as told in the answer. */
  cost: number | undefined
}

type Wanted = Partial<Pick<JournalEntry, 'method' | 'route' | 'model' | 'outcome'>> & {
  idempotencyKey?: string
}

export type Journal = {
  readonly entries: readonly JournalEntry[]
  find(wanted: Wanted): JournalEntry[]
  count(wanted?: Wanted): number
  /** Resolves as soon as an entry fits, also one that is there already. */
  until(wanted: Wanted, withinMs?: number): Promise<JournalEntry>
  clear(): void
}

/** Benchmarks run for millions of calls: the oldest entries are let go. */
const KEPT = 5_000

export function openJournal(): Journal & { add(entry: JournalEntry): void; changed(): void } {
  let entries: JournalEntry[] = []
  const waiting = new Set<() => void>()
  const find = (wanted: Wanted) => entries.filter((entry) => fits(entry, wanted))
  const changed = () => {
    for (const look of waiting) look()
  }
  return {
    get entries() {
      return entries
    },
    find,
    count: (wanted = {}) => find(wanted).length,
    until: (wanted, withinMs = 5_000) =>
      new Promise((found, missed) => {
        const end = () => {
          clearTimeout(timer)
          waiting.delete(look)
        }
        const timer = setTimeout(() => {
          end()
          missed(new Error(`the simulator saw no ${JSON.stringify(wanted)} in ${withinMs} ms`))
        }, withinMs)
        const look = () => {
          const entry = find(wanted)[0]
          if (entry === undefined) return
          end()
          found(entry)
        }
        waiting.add(look)
        look()
      }),
    clear: () => {
      entries = []
    },
    add: (entry) => {
      entries.push(entry)
      if (entries.length > KEPT) entries = entries.slice(-KEPT / 2)
      changed()
    },
    changed,
  }
}

function fits(entry: JournalEntry, wanted: Wanted): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => value === undefined || entry[name as keyof JournalEntry] === value,
  )
}
