import type { Db } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import { isUuid } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import type { BalanceWatch } from '../notices/low-balance.ts'
import type { IncomingCallback } from './callback.ts'
import { takeCallback } from './callback.ts'
import type { CheckParts } from './check.ts'
import { look, lookWhileDue } from './check.ts'
import type { PaymentsPage } from './payments-list-store.ts'
import { countPayments, listByStatus, listPayments } from './payments-list-store.ts'
import type { Payment } from './payments-store.ts'
import { findById } from './payments-store.ts'
import type { PaymentPort } from './port.ts'
import { reconcile } from './reconcile.ts'
import type { Timing } from './schedule.ts'
import { TIMING } from './schedule.ts'
import type { Payer, TopUp, TopUpRules } from './topup.ts'
import { openPayment } from './topup.ts'
import type { PaymentStatus } from './transition.ts'

export type { Payment } from './payments-store.ts'

export type PaymentsParts = {
  db: Db
  log: Log
  clock: Clock
  /** New payments go to the first; the others still answer for payments they were given. */
  ports: readonly [PaymentPort, ...PaymentPort[]]
  rules: TopUpRules
  payerOf(accountId: string): Promise<Payer>
  balanceWatch?: BalanceWatch
  timing?: Partial<Timing>
  /** Told before and after each step that commits or goes out, so that tests can die there. */
  onStep?: (step: string) => Promise<void> | void
}

export type Payments = {
  topUp(topUp: TopUp): Promise<Payment>
  takeCallback(incoming: IncomingCallback): Promise<void>
  read(accountId: string, id: string): Promise<Payment>
  list(page: PaymentsPage): Promise<{ payments: Payment[]; total: number }>
  /** For the operator: oldest first. */
  listByStatus(status: PaymentStatus | undefined, limit: number): Promise<Payment[]>
  /** For the operator: asks the provider now, also about a completed one. */
  check(id: string): Promise<Payment | undefined>
  /** The duty: everything that is due. */
  reconcile(signal: AbortSignal): Promise<void>
  /** Resolves when no look is under way in the background. */
  idle(): Promise<void>
}

export function createPayments(given: PaymentsParts): Payments {
  const { db } = given
  const parts: CheckParts & { clock: Clock } = {
    db,
    log: given.log,
    clock: given.clock,
    ports: new Map(given.ports.map((port) => [port.name, port])),
    timing: { ...TIMING, ...given.timing },
    balanceWatch: given.balanceWatch,
    onStep: given.onStep ?? (() => {}),
  }
  const background = new Set<Promise<void>>()

  /** Nobody waits for it, and nothing is lost with it: the row stays due. */
  function lookSoon(id: string): void {
    const looking = lookWhileDue(parts, id)
      .catch((error: unknown) => {
        parts.log.error('A look at a payment failed.', { payment_id: id, error })
      })
      .finally(() => background.delete(looking))
    background.add(looking)
  }

  return {
    async topUp(topUp) {
      const payment = await openPayment({ ...given, provider: given.ports[0].name }, topUp)
      await parts.onStep('row_committed')
      lookSoon(payment.id)
      return payment
    },
    async takeCallback(incoming) {
      const due = await takeCallback(parts, incoming)
      if (due !== undefined) lookSoon(due)
    },
    async read(accountId, id) {
      const payment = isUuid(id) ? await findById(db, id) : undefined
      if (payment?.accountId !== accountId) throw new Failure('not_found', 'No such payment.')
      return payment
    },
    async list(page) {
      const payments = await listPayments(db, page)
      return { payments, total: await countPayments(db, page) }
    },
    listByStatus: (status, limit) => listByStatus(db, { status, limit }),
    async check(id) {
      const payment = isUuid(id) ? await findById(db, id) : undefined
      if (payment) await look(parts, payment)
      return payment && findById(db, id)
    },
    reconcile: (signal) => reconcile(parts, signal),
    async idle() {
      while (background.size > 0) await Promise.all(background)
    },
  }
}
