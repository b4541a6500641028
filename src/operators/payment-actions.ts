import type { Db } from '../db/db.ts'
import { Failure } from '../lib/failure.ts'
import { isUuid } from '../lib/ids.ts'
import type { Payment, Payments } from '../payments/payments.ts'
import { findById } from '../payments/payments-read-store.ts'
import { markReviewed } from '../payments/reviews-store.ts'
import { withAuditLog } from './audit-log.ts'
import type { Actor } from './actor.ts'
import { requireNotBehind } from './requests.ts'

/**
 * Asks the provider now and applies its answer like any other. The audit event is written first,
 * because a request to the provider cannot be part of a transaction.
 */
export async function askProvider(
  { db, payments }: { db: Db; payments: Payments },
  actor: Actor,
  { id, reason }: { id: string; reason: string | undefined },
): Promise<Payment | undefined> {
  if (!isUuid(id)) return undefined
  const known = await withAuditLog(db, actor, async (tx, record) => {
    const payment = await findById(tx, id)
    if (!payment) return false
    const before = { status: payment.status }
    await record({ action: 'payment.check', target: { type: 'payment', id }, reason, before })
    return true
  })
  return known ? payments.check(id) : undefined
}

/** What was done about a payment that needed a person. Credits are added by an adjustment. */
export type Resolution = 'credited' | 'written_off' | 'refunded'

/** False when there is nothing to review: another operator may have been faster. Nobody reviews their own. */
export function resolveReview(
  db: Db,
  actor: Actor,
  wanted: { id: string; resolution: Resolution | undefined; note: string | undefined },
): Promise<boolean> {
  const { id, resolution, note } = wanted
  if (!isUuid(id)) return Promise.resolve(false)
  return withAuditLog(db, actor, async (tx, record) => {
    const payment = await findById(tx, id)
    if (payment) await requireNotBehind(tx, actor, payment.accountId)
    const by = { operator: actor.name, note: resolution ? `${resolution}: ${note ?? ''}` : note }
    if (!payment || !(await markReviewed(tx, id, by))) return false
    const { status, review, reviewSaid: said } = payment
    await record({
      action: 'payment.resolve',
      target: { type: 'payment', id },
      reason: note,
      before: { status, review, said },
      after: { resolution: resolution ?? 'reviewed' },
    })
    return true
  })
}

export function noPayment(): Failure {
  return new Failure('not_found', 'There is no such payment.')
}
