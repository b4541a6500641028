import { setTimeout as wait } from 'node:timers/promises'
import type { Db } from '../../../db/db.ts'
import type { Sink } from '../../../lib/answer.ts'
import { appendEvents } from './events-store.ts'

/** Beyond this only the last events of a response are kept. */
const MOST_BYTES = 4_000_000
/** What comes meanwhile becomes fewer and longer events. */
const REST_MS = 150
const RETRY_MS = 1_000

type Logged = { db: Db; id: string; lease: string; first: number; keeps: boolean }

/**
 * Where a response that runs in the background goes: its events are kept in the database, at the
 * database's pace.
 */
export class EventLog implements Sink {
  readonly #about: Logged
  #pending = ''
  #next: number
  #bytes = 0
  #flushing: Promise<void> | undefined
  #closed = false
  #end!: (text: string) => void
  /** What it ended with: nothing where it was not settled. */
  readonly ended = new Promise<string>((resolve) => (this.#end = resolve))

  constructor(about: Logged) {
    this.#about = about
    this.#next = about.first
  }

  /** The number of the next event. */
  get next(): number {
    return this.#next + countOf(this.#pending)
  }

  add(text: string): void {
    if (this.#about.keeps && this.#bytes <= MOST_BYTES) this.#pending += text
  }

  write(): boolean {
    if (this.#pending !== '') this.#flushing ??= this.#flush()
    return this.#flushing === undefined
  }

  async room(): Promise<void> {
    await this.#flushing
  }

  end(text: string): void {
    this.#end(text)
  }

  /** Nothing more is kept of it here: it has ended, or another process goes on. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#flushing
  }

  /** What is not kept yet, with `last`: for whoever ends the response. */
  rest(last: { first: number; text: string }): { first: number; count: number; events: string }[] {
    if (!this.#about.keeps) return []
    const waiting = { first: this.#next, text: this.#pending }
    return [waiting, last]
      .filter(({ text }) => text !== '')
      .map(({ first, text }) => ({ first, count: countOf(text), events: text }))
  }

  async #flush(): Promise<void> {
    const events = this.#pending
    const count = countOf(events)
    if (await this.#append(events, count)) {
      this.#pending = this.#pending.slice(events.length)
      this.#next += count
      this.#bytes += events.length
    }
    if (!this.#closed) await wait(REST_MS)
    this.#flushing = undefined
  }

  async #append(events: string, count: number): Promise<boolean> {
    const { db, id, lease } = this.#about
    while (!this.#closed) {
      try {
        await appendEvents(db, { id, lease }, { first: this.#next, count, events })
        return true
      } catch {
        // The database is away. Meanwhile nothing is read from the upstream.
        await wait(RETRY_MS)
      }
    }
    return false
  }
}

/** Their data is JSON: it has no empty line. */
function countOf(events: string): number {
  return events.split('\n\n').length - 1
}
