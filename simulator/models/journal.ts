/** What the simulator received and how it ended: proof for tests of "one upstream call". */
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
  /** `left`: the reader went away first. `broken`: a fault cut the connection. */
  outcome: 'running' | 'finished' | 'left' | 'broken'
  status: number | undefined
  endedAt: number | undefined
  /** USD, as reported in the answer. */
  cost: number | undefined
}

type JournalQuery = Partial<Pick<JournalEntry, 'method' | 'route' | 'model' | 'outcome'>> & {
  idempotencyKey?: string
}

export type Journal = {
  readonly entries: readonly JournalEntry[]
  find(query: JournalQuery): JournalEntry[]
  count(query?: JournalQuery): number
  /** Resolves as soon as an entry matches; at once if one is there already. */
  until(query: JournalQuery): Promise<JournalEntry>
  clear(): void
}

/** Benchmarks run for millions of calls: the oldest entries are dropped. */
const MOST_ENTRIES = 5_000
const PATIENCE_MS = 60_000

export function openJournal(): Journal & { add(entry: JournalEntry): void; changed(): void } {
  let entries: JournalEntry[] = []
  const waiting = new Set<() => void>()
  const find = (query: JournalQuery) => entries.filter((entry) => matches(entry, query))
  const changed = () => {
    for (const check of waiting) check()
  }
  return {
    get entries() {
      return entries
    },
    find,
    count: (query = {}) => find(query).length,
    until: (query) =>
      new Promise((found, missed) => {
        const end = () => {
          clearTimeout(timer)
          waiting.delete(check)
        }
        const timer = setTimeout(() => {
          end()
          missed(new Error(`The simulator saw no ${JSON.stringify(query)} within a minute.`))
        }, PATIENCE_MS)
        const check = () => {
          const entry = find(query)[0]
          if (entry === undefined) return
          end()
          found(entry)
        }
        waiting.add(check)
        check()
      }),
    clear: () => {
      entries = []
    },
    add: (entry) => {
      entries.push(entry)
      if (entries.length > MOST_ENTRIES) entries = entries.slice(-MOST_ENTRIES / 2)
      changed()
    },
    changed,
  }
}

function matches(entry: JournalEntry, query: JournalQuery): boolean {
  return Object.entries(query).every(
    ([name, value]) => value === undefined || entry[name as keyof JournalEntry] === value,
  )
}
