import type { Db } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import { isUuid } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import type { BalanceWatch } from '../notices/low-balance.ts'
import type { IncomingCallback } from './callback.ts'
import { takeCallback } from './callback.ts'
import type { CheckParts } from './check.ts'
import { checkAllDue, checkPayment, checkWhileDue } from './check.ts'
import type { PaymentStatus } from './payment-state.ts'
import type { PaymentsPage } from './payments-read-store.ts'
import { countPayments, findById, listByStatus, listPayments } from './payments-read-store.ts'
import type { Payment } from './payments-store.ts'
import { readForCheck } from './payments-store.ts'
import type { PaymentProvider } from './provider.ts'
import { countToReview, listToReview } from './reviews-store.ts'
import type { CheckTiming } from './schedule.ts'
import { DEFAULT_TIMING } from './schedule.ts'
import type { Payer, TopUp, TopUpRules } from './topup.ts'
import { openPayment } from './topup.ts'

export type { Payment } from './payments-store.ts'

export type PaymentsParts = {
  db: Db
  log: Log
  clock: Clock
  /** New payments go to the first; the others still answer for the payments they have. */
  providers: readonly [PaymentProvider, ...PaymentProvider[]]
  rules: TopUpRules
  payerOf(accountId: string): Promise<Payer>
  balanceWatch?: BalanceWatch | undefined
  timing?: Partial<CheckTiming> | undefined
  /** Called before and after each step that commits or goes out, so that tests can crash there. */
  onStep?: ((step: string) => Promise<void> | void) | undefined
}

export type Payments = {
  rules: TopUpRules
  topUp(topUp: TopUp): Promise<Payment>
  takeCallback(incoming: IncomingCallback): Promise<void>
  read(accountId: string, id: string): Promise<Payment>
  list(page: PaymentsPage): Promise<{ payments: Payment[]; total: number }>
  /** For the operator: oldest first. */
  listByStatus(status: PaymentStatus | undefined, limit: number): Promise<Payment[]>
  /** For the operator: what needs a person, oldest first. */
  listToReview(limit: number): Promise<Payment[]>
  countToReview(): Promise<number>
  /** For the customer who says "I have paid": asks the provider now, unless it is known already. */
  checkOwn(accountId: string, id: string): Promise<Payment>
  /** For the operator: asks the provider now, also about a completed one. */
  check(id: string): Promise<Payment | undefined>
  /** Checks every payment that is due. Run in the background. */
  reconcile(signal: AbortSignal): Promise<void>
  /** Resolves when no check is under way in the background. */
  idle(): Promise<void>
}

export function createPayments(options: PaymentsParts): Payments {
  const { db } = options
  const parts: CheckParts & { clock: Clock } = {
    db,
    log: options.log,
    clock: options.clock,
    providers: new Map(options.providers.map((provider) => [provider.name, provider])),
    timing: { ...DEFAULT_TIMING, ...options.timing },
    balanceWatch: options.balanceWatch,
    onStep: options.onStep ?? (() => {}),
  }
  const background = new Set<Promise<void>>()

  /** Not awaited; if it fails, the row stays due. */
  function checkSoon(id: string): void {
    const check = checkWhileDue(parts, id)
      .catch((error: unknown) => {
        parts.log.error('A payment check failed; it will be tried again.', {
          payment_id: id,
          error,
        })
      })
      .finally(() => background.delete(check))
    background.add(check)
  }

  async function readOwn(accountId: string, id: string): Promise<Payment> {
    const payment = isUuid(id) ? await findById(db, id) : undefined
    if (payment?.accountId !== accountId) {
      throw new Failure('not_found', 'There is no such payment.')
    }
    return payment
  }

  /** Without a claim: a check that a customer asks for does not replace one that is scheduled. */
  async function askNow(id: string): Promise<void> {
    const timed = await readForCheck(db, id)
    if (timed) await checkPayment(parts, timed)
  }
  const asking = new Map<string, Promise<void>>()

  return {
    rules: options.rules,
    async topUp(topUp) {
      const payment = await openPayment({ ...options, provider: options.providers[0] }, topUp)
      await parts.onStep('row_committed')
      checkSoon(payment.id)
      return payment
    },
    async takeCallback(incoming) {
      const due = await takeCallback(parts, incoming)
      if (due !== undefined) checkSoon(due)
    },
    read: readOwn,
    async checkOwn(accountId, id) {
      const payment = await readOwn(accountId, id)
      if (payment.status === 'completed') return payment
      // Checks of the same payment at the same time share one answer.
      if (!asking.has(payment.id)) {
        const question = askNow(payment.id).finally(() => asking.delete(payment.id))
        asking.set(payment.id, question)
      }
      await asking.get(payment.id)
      return readOwn(accountId, id)
    },
    async list(page) {
      const payments = await listPayments(db, page)
      return { payments, total: await countPayments(db, page) }
    },
    listByStatus: (status, limit) => listByStatus(db, { status, limit }),
    listToReview: (limit) => listToReview(db, limit),
    countToReview: () => countToReview(db),
    async check(id) {
      if (!isUuid(id)) return undefined
      await askNow(id)
      return findById(db, id)
    },
    reconcile: (signal) => checkAllDue(parts, signal),
    async idle() {
      while (background.size > 0) await Promise.all(background)
    },
  }
}
