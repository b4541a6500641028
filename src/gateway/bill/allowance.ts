import { spentInLastDays } from '../../activity/summary-store.ts'
import type { Db } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { addUnpaid, unpaidSince, type UnpaidKind } from './allowance-store.ts'
import type { Bill } from './billable.ts'
import type { Dropped, Stage } from './rows.ts'

/** A call that was left beyond the allowance: it runs to its end and is charged. */
export type BeyondAllowance = {
  accountId: string
  model: string
  unpaidMicro: bigint
  limitMicro: bigint
}

type AllowanceOptions = {
  db: Db
  clock: Clock
  log: Log
  /** What every account has; a tenth of what it spent comes on top. */
  freeMicro: bigint
  timeZone: string
  /** Whether the account has no allowance today. */
  tightened(accountId: string): Promise<boolean>
  tellOwner(beyond: BeyondAllowance): Promise<void>
}

/** A call that its caller leaves. `over` settles when the call has ended. */
type LeftCall = { accountId: string; stage: Stage; over: Promise<void> }

/** An account that has calls here which were left and have not ended. */
type Leaving = { known: Promise<Known | undefined>; grantedMicro: bigint; calls: number }
type Known = { unpaidMicro: bigint; limitMicro: bigint; oldest: Date | null }

const WINDOW_MS = 24 * 3_600_000
const SPENDING_DAYS = 30

/**
 * What an account may cause upstream in 24 hours without paying for it, over all its keys and all
 * processes. Only a call that is left, or of a kind whose answers were refused, costs statements.
 */
export class Allowance {
  readonly #options: AllowanceOptions
  readonly #leaving = new Map<string, Leaving>()

  constructor(options: AllowanceOptions) {
    this.#options = options
  }

  /**
   * Whether a call that is worth so much by now may be left without paying. If so it counts here
   * until it has ended, and by then `drop` has committed it. A database that cannot be asked lets
   * nobody leave.
   */
  async mayLeave({ accountId, stage, over }: LeftCall, worthMicro: bigint): Promise<boolean> {
    if (worthMicro === 0n) return true
    const leaving = this.#leaving.get(accountId) ?? this.#begin(accountId)
    leaving.calls += 1
    const known = await leaving.known
    if (known !== undefined) {
      const { limitMicro } = known
      const unpaidMicro = known.unpaidMicro + leaving.grantedMicro
      if (unpaidMicro + worthMicro <= limitMicro) {
        leaving.grantedMicro += worthMicro
        void over.then(() => this.#end(accountId, leaving))
        return true
      }
      void this.#tellOwner({ accountId, model: stage.model, unpaidMicro, limitMicro })
    }
    this.#end(accountId, leaving)
    return false
  }

  /** Throws for a kind of call whose answers were refused, once the allowance is used up. */
  async admit(accountId: string): Promise<void> {
    const { unpaidMicro, limitMicro, oldest } = await this.#ask(accountId)
    if (unpaidMicro >= limitMicro) throw usedUp(this.#secondsUntilOver(oldest))
  }

  /**
   * What one call of unknown size may leave uncollected; undefined while the account has nothing left
   * of its allowance.
   */
  async forGuess(accountId: string): Promise<bigint | undefined> {
    const { unpaidMicro, limitMicro } = await this.#ask(accountId)
    return unpaidMicro < limitMicro ? limitMicro : undefined
  }

  /** Ends a bill without a charge; what it was worth is counted in the same commit. */
  drop(
    bill: Bill,
    end: Dropped,
    work: { accountId: string; micro: bigint; kind?: UnpaidKind | undefined },
  ): Promise<void> {
    const { accountId, micro: worthMicro, kind = end.stage.kind } = work
    if (worthMicro === 0n) return bill.drop(end)
    const unpaid = { accountId, kind, at: this.#options.clock.now(), worthMicro }
    return bill.drop({ ...end, writes: [{ write: (tx) => addUnpaid(tx, unpaid) }] })
  }

  /**
   * Reads once, and not again before all calls that were granted since have ended: else those that
   * are being committed would count twice, or not at all.
   */
  #begin(accountId: string): Leaving {
    const leaving = { known: this.#read(accountId), grantedMicro: 0n, calls: 0 }
    this.#leaving.set(accountId, leaving)
    return leaving
  }

  #end(accountId: string, leaving: Leaving): void {
    leaving.calls -= 1
    if (leaving.calls === 0) this.#leaving.delete(accountId)
  }

  /** Until something of it is a day old. */
  #secondsUntilOver(oldest: Date | null): number {
    const nowMs = this.#options.clock.now().getTime()
    const waitMs = (oldest?.getTime() ?? nowMs) + WINDOW_MS - nowMs
    return Math.max(1, Math.ceil(waitMs / 1_000))
  }

  async #read(accountId: string): Promise<Known | undefined> {
    try {
      return await this.#ask(accountId)
    } catch (error) {
      const message = 'What an account left unpaid could not be read: its left call goes on.'
      this.#options.log.warn(message, { account_id: accountId, error })
      return undefined
    }
  }

  async #ask(accountId: string): Promise<Known> {
    const { db, clock, freeMicro, timeZone, tightened } = this.#options
    const at = clock.now()
    const [unpaid, spentMicro, none] = await Promise.all([
      unpaidSince(db, accountId, new Date(at.getTime() - WINDOW_MS)),
      spentInLastDays(db, { accountId, at, timeZone, days: SPENDING_DAYS }),
      tightened(accountId),
    ])
    const limitMicro = none ? 0n : freeMicro + spentMicro / 10n
    return { unpaidMicro: unpaid.micro, limitMicro, oldest: unpaid.oldest }
  }

  async #tellOwner(beyond: BeyondAllowance): Promise<void> {
    try {
      await this.#options.tellOwner(beyond)
    } catch (error) {
      this.#options.log.warn('An owner could not be told that a left call is charged.', { error })
    }
  }
}

function usedUp(retryAfterS: number): Failure {
  const message =
    'Answers to calls of this kind could not be used and were not charged, more than an account may cause in 24 hours. Try again later.'
  return new Failure('rate_limited', message, { retryAfterS })
}
