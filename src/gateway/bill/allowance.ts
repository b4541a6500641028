import { spentInLastDays } from '../../activity/summary-store.ts'
import type { Db, Tx } from '../../db/db.ts'
import { groupCommit, type GroupCommit } from '../../db/group-commit.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import { addUnpaid, lockMoney, unpaidSince, type UnpaidKind } from './allowance-store.ts'
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

/** A call that its caller leaves, and what it is worth by then. */
type Leaving = { accountId: string; stage: Stage; worthMicro: bigint; at: Date; tightened: boolean }
/** What was unpaid before it, and whether it is counted now. */
type Judged = Omit<Known, 'oldest'> & { counted: boolean }
type Known = { unpaidMicro: bigint; limitMicro: bigint; oldest: Date | null }

const WINDOW_MS = 24 * 3_600_000
const SPENDING_DAYS = 30

/**
 * What an account may cause upstream in 24 hours without paying for it, over all its keys and all
 * processes. Only a call that is left, or of a kind whose answers were refused, costs statements.
 */
export class Allowance {
  readonly #options: AllowanceOptions
  readonly #leaving: GroupCommit<Leaving, Judged>

  constructor(options: AllowanceOptions) {
    this.#options = options
    this.#leaving = groupCommit({ db: options.db, apply: (tx, all) => this.#judge(tx, all) })
  }

  /**
   * Whether a call that is worth so much by now may be left without paying. If so it is counted, in
   * the commit that decided it: whatever other processes decide at that moment, they see it. A
   * database that cannot be asked lets nobody leave.
   */
  async mayLeave(
    { accountId, stage }: { accountId: string; stage: Stage },
    worthMicro: bigint,
  ): Promise<boolean> {
    if (worthMicro === 0n) return true
    try {
      const judged = await this.#count({ accountId, stage }, worthMicro)
      const { counted, unpaidMicro, limitMicro } = judged
      const { model } = stage
      if (!counted) void this.#tellOwner({ accountId, model, unpaidMicro, limitMicro })
      return counted
    } catch (error) {
      const message = 'What an account left unpaid could not be counted: its left call goes on.'
      this.#options.log.warn(message, { account_id: accountId, error })
      return false
    }
  }

  /** Whether work that was lost with its process may be done again; if so it is counted. */
  async mayRepeat(lost: { accountId: string; stage: Stage }, worthMicro: bigint): Promise<boolean> {
    return worthMicro === 0n || (await this.#count(lost, worthMicro)).counted
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

  /** Ends a bill without a charge; what it was worth beyond `countedMicro` counts in the same commit. */
  drop(
    bill: Bill,
    end: Dropped,
    work: { accountId: string; micro: bigint; countedMicro: bigint; kind?: UnpaidKind | undefined },
  ): Promise<void> {
    const { accountId, micro, countedMicro, kind = end.stage.kind } = work
    if (micro <= countedMicro) return bill.drop(end)
    const worthMicro = micro - countedMicro
    const unpaid = { accountId, kind, at: this.#options.clock.now(), worthMicro }
    return bill.drop({ ...end, writes: [{ write: (tx) => addUnpaid(tx, unpaid) }] })
  }

  async #count(
    { accountId, stage }: { accountId: string; stage: Stage },
    worthMicro: bigint,
  ): Promise<Judged> {
    const { clock, tightened } = this.#options
    const leaving = { accountId, stage, worthMicro, at: clock.now() }
    return this.#leaving.submit({ ...leaving, tightened: await tightened(accountId) })
  }

  /** Until something of it is a day old. */
  #secondsUntilOver(oldest: Date | null): number {
    const nowMs = this.#options.clock.now().getTime()
    const waitMs = (oldest?.getTime() ?? nowMs) + WINDOW_MS - nowMs
    return Math.max(1, Math.ceil(waitMs / 1_000))
  }

  /** One after the other, with their accounts locked: none is judged without those before it. */
  async #judge(tx: Tx, all: Leaving[]): Promise<Judged[]> {
    await lockMoney(tx, [...new Set(all.map(({ accountId }) => accountId))])
    const judged: Judged[] = []
    for (const { accountId, stage, worthMicro, at, tightened } of all) {
      const { unpaidMicro, limitMicro } = await this.#known(tx, { accountId, at, tightened })
      const counted = unpaidMicro + worthMicro <= limitMicro
      if (counted) await addUnpaid(tx, { accountId, kind: stage.kind, at, worthMicro })
      judged.push({ unpaidMicro, limitMicro, counted })
    }
    return judged
  }

  async #ask(accountId: string): Promise<Known> {
    const { db, clock, tightened } = this.#options
    const about = { accountId, at: clock.now(), tightened: await tightened(accountId) }
    return this.#known(db, about)
  }

  async #known(
    tx: Tx,
    { accountId, at, tightened }: Pick<Leaving, 'accountId' | 'at' | 'tightened'>,
  ): Promise<Known> {
    const { freeMicro, timeZone } = this.#options
    const [unpaid, spentMicro] = await Promise.all([
      unpaidSince(tx, accountId, new Date(at.getTime() - WINDOW_MS)),
      spentInLastDays(tx, { accountId, at, timeZone, days: SPENDING_DAYS }),
    ])
    const limitMicro = tightened ? 0n : freeMicro + spentMicro / 10n
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
