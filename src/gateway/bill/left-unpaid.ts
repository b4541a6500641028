import type { Db } from '../../db/db.ts'
import type { Clock, BackgroundJob } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import type { Bill } from './billable.ts'
import {
  addLeftUnpaid,
  leftUnpaidChannel,
  purgeLeftUnpaid,
  worthLeft,
  type LeftKind,
} from './left-unpaid-store.ts'
import type { Dropped } from './rows.ts'

type LeftUnpaidOptions = {
  kind: LeftKind
  db: Db
  clock: Clock
  log: Log
  limitMicro: bigint
}

const WINDOW_MS = 24 * 3_600_000
const PURGE_EVERY_MS = 600_000
const PURGE_AT_ONCE = 1_000

export async function openLeftUnpaid(options: LeftUnpaidOptions): Promise<LeftUnpaid> {
  const leftUnpaid = new LeftUnpaid(options)
  // Empty when news may have been missed.
  const channel = leftUnpaidChannel(options.kind)
  await options.db.listen(channel, (accountId) => void leftUnpaid.load(accountId))
  await leftUnpaid.load('')
  return leftUnpaid
}

/**
 * What an account had without paying, because its reader or caller left before the end: counted over
 * all its keys and all processes, by its worth, streams and whole answers apart. A call that begins
 * is looked up in memory; only one that is left costs a statement.
 */
export class LeftUnpaid {
  readonly #options: LeftUnpaidOptions
  readonly #beyondUntilMs = new Map<string, number>()
  /** Of readers who left here a moment ago: their rows are not committed and read yet. */
  readonly #pending = new Map<string, bigint>()
  /** What was read for accounts whose readers left here in the last minutes. */
  readonly #known = new Map<string, bigint>()
  /** The part of what is pending that is committed: the next reading has it. */
  readonly #committed = new Map<string, bigint>()
  #loading: Promise<void> = Promise.resolve()

  constructor(options: LeftUnpaidOptions) {
    this.#options = options
  }

  /** Throws when the account has left too much to be given another stream. */
  admit(accountId: string): void {
    const waitMs = this.#beyondMs(accountId)
    if (waitMs > 0) throw tooMuchLeft(Math.ceil(waitMs / 1_000))
  }

  /**
   * It has left too much, or would with this one answer alone: what it leaves now is finished and
   * charged all the same.
   */
  isBeyond(accountId: string, answerMicro = 0n): boolean {
    return answerMicro > this.#options.limitMicro || this.#beyondMs(accountId) > 0
  }

  /** Ends the bill of a caller who left; what it was worth goes into the same commit. */
  async drop(bill: Bill, end: Dropped, worth: { accountId: string; micro: bigint }): Promise<void> {
    const { accountId, micro } = worth
    if (micro === 0n) return bill.drop(end)
    const left = { accountId, at: this.#options.clock.now(), worthMicro: micro }
    add(this.#pending, accountId, micro)
    await bill.drop({ ...end, writes: [{ write: (tx) => addLeftUnpaid(tx, left, this.#limit()) }] })
    add(this.#committed, accountId, micro)
    await this.load(accountId)
  }

  /** Reads what is known of an account, or of all. One after another: an older reading never wins. */
  load(accountId: string): Promise<void> {
    this.#loading = this.#loading
      .then(() => this.#load(accountId))
      .catch((error: unknown) =>
        this.#options.log.error('What readers left unpaid could not be read.', { error }),
      )
    return this.#loading
  }

  get job(): BackgroundJob {
    const name = `left-unpaid-${this.#options.kind}`
    return { name, everyMs: PURGE_EVERY_MS, run: (signal) => this.#purge(signal) }
  }

  /** How long it is still beyond. */
  #beyondMs(accountId: string): number {
    const untilMs = this.#beyondUntilMs.get(accountId)
    const leftMs = untilMs === undefined ? 0 : untilMs - this.#options.clock.now().getTime()
    const pending = this.#pending.get(accountId)
    if (leftMs > 0 || pending === undefined) return leftMs
    const worth = pending + (this.#known.get(accountId) ?? 0n)
    return worth > this.#options.limitMicro ? WINDOW_MS : 0
  }

  async #load(accountId: string): Promise<void> {
    const committed = this.#committed.get(accountId) ?? 0n
    const found = await worthLeft(this.#options.db, this.#limit(), accountId || undefined)
    if (accountId === '') this.#beyondUntilMs.clear()
    else this.#beyondUntilMs.delete(accountId)
    for (const { accountId: id, worthMicro, beyondAt } of found) {
      if (beyondAt !== null) this.#beyondUntilMs.set(id, beyondAt.getTime() + WINDOW_MS)
      if (committed > 0n) this.#known.set(id, worthMicro)
    }
    add(this.#committed, accountId, -committed)
    add(this.#pending, accountId, -committed)
  }

  async #purge(signal: AbortSignal): Promise<void> {
    const { since } = this.#limit()
    for (let last = PURGE_AT_ONCE; last === PURGE_AT_ONCE && !signal.aborted;) {
      last = await purgeLeftUnpaid(this.#options.db, since, PURGE_AT_ONCE)
    }
    this.#known.clear()
    await this.load('')
    // Those that could not be read when they were committed.
    for (const accountId of this.#committed.keys()) await this.load(accountId)
  }

  #limit(): { kind: LeftKind; limitMicro: bigint; since: Date } {
    const { kind, limitMicro, clock } = this.#options
    return { kind, limitMicro, since: new Date(clock.now().getTime() - WINDOW_MS) }
  }
}

function add(sums: Map<string, bigint>, accountId: string, micro: bigint): void {
  const sum = (sums.get(accountId) ?? 0n) + micro
  if (sum === 0n) sums.delete(accountId)
  else sums.set(accountId, sum)
}

/** SDKs would try again by themselves: the header stops them. */
function tooMuchLeft(retryAfterS: number): Failure {
  return new Failure(
    'rate_limited',
    'Too much of what was streamed to this account was broken off and never paid for. Ask for whole answers, or wait.',
    { retryAfterS, headers: { 'x-should-retry': 'false' } },
  )
}
