import type { Row, Tx } from '../db/db.ts'
import { uuidv7 } from '../lib/ids.ts'

/** A correction that waits for a second operator. */
export type AdjustmentRequest = {
  id: string
  accountId: string
  amountMicro: bigint
  reason: string
  key: string
  askedBy: string
  askedByName: string
  askedAt: Date
}

/** The same key again is the same request. */
export async function insertRequest(
  tx: Tx,
  asker: { operatorId: string; name: string },
  wanted: { accountId: string; amountMicro: bigint; reason: string; key: string },
): Promise<string> {
  const [row] = await tx.query<{ id: string }>(
    `insert into adjustment_requests
       (id, account_id, amount_micro, reason, entry_key, asked_by, asked_by_name)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (entry_key) do update set entry_key = excluded.entry_key returning id`,
    [
      uuidv7(),
      wanted.accountId,
      wanted.amountMicro,
      wanted.reason,
      wanted.key,
      asker.operatorId,
      asker.name,
    ],
  )
  return row!.id
}

/** The oldest first. */
export async function listWaiting(tx: Tx, limit: number): Promise<AdjustmentRequest[]> {
  const rows = await tx.read(
    'select * from adjustment_requests where decision is null order by asked_at, id limit $1',
    [limit],
  )
  return rows.map(requestFrom)
}

/** Undefined when there is none, or it has been decided. */
export async function lockWaiting(tx: Tx, id: string): Promise<AdjustmentRequest | undefined> {
  const [row] = await tx.read(
    'select * from adjustment_requests where id = $1 and decision is null for update',
    [id],
  )
  return row && requestFrom(row)
}

export async function decideRequest(
  tx: Tx,
  id: string,
  decision: 'approved' | 'refused',
): Promise<void> {
  await tx.query('update adjustment_requests set decision = $2, decided_at = now() where id = $1', [
    id,
    decision,
  ])
}

function requestFrom(row: Row): AdjustmentRequest {
  return {
    id: row.id as string,
    accountId: row.account_id as string,
    amountMicro: row.amount_micro as bigint,
    reason: row.reason as string,
    key: row.entry_key as string,
    askedBy: row.asked_by as string,
    askedByName: row.asked_by_name as string,
    askedAt: row.asked_at as Date,
  }
}
