import type { Tx } from '../db/db.ts'
import { PAYMENT, type Payment } from './payments-store.ts'

/** Payments that wait for review, oldest first. */
export async function listToReview(tx: Tx, limit: number): Promise<Payment[]> {
  const rows = await tx.read(
    `select ${PAYMENT.list} from payments
     where review is not null and reviewed_at is null order by review_at, id limit $1`,
    [limit],
  )
  return PAYMENT.all(rows)
}

export const QUEUES = ['review', 'stuck', 'late'] as const

const QUEUE = {
  review: 'review is not null and reviewed_at is null order by review_at, id',
  stuck: `status = 'pending' and created_at < now() - interval '5 minutes' order by id`,
  late: `late and completed_at > now() - interval '30 days' order by id`,
}

/** Payments that an operator may have to look at, oldest first. */
export async function listQueue(
  tx: Tx,
  queue: (typeof QUEUES)[number],
  limit: number,
): Promise<Payment[]> {
  const rows = await tx.read(
    `select ${PAYMENT.list} from payments where ${QUEUE[queue]} limit $1`,
    [limit],
  )
  return PAYMENT.all(rows)
}

export async function countToReview(tx: Tx): Promise<number> {
  const [row] = await tx.read<{ count: number }>(
    `select count(*)::int as count from payments where review is not null and reviewed_at is null`,
  )
  return row!.count
}

/** Their account was restored: they are checked at once, and credited. */
export async function releaseHeldBack(tx: Tx, accountId: string): Promise<void> {
  await tx.query(
    `update payments set review = null, review_said = null, review_at = null, next_check_at = now()
     where account_id = $1 and review = 'account_deleted' and reviewed_at is null`,
    [accountId],
  )
}

type Reviewed = { operator: string; note: string | undefined }

/** False when there is nothing to review: another operator may have been faster. */
export async function markReviewed(tx: Tx, id: string, by: Reviewed): Promise<boolean> {
  const rows = await tx.query(
    `update payments set reviewed_at = now(), reviewed_by = $2, review_note = $3
     where id = $1 and review is not null and reviewed_at is null returning id`,
    [id, by.operator, by.note ?? null],
  )
  return rows.length === 1
}
