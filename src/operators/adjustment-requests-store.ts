import { as, columns, int8, text, time, type RowOf } from '../db/columns.ts'
import type { Tx } from '../db/db.ts'
import { uuidv7 } from '../lib/ids.ts'

/** A correction that waits for a second operator. */
const REQUEST = columns({
  id: text,
  accountId: text,
  amountMicro: int8,
  reason: text,
  key: as('entry_key', text),
  askedBy: text,
  askedByName: text,
  askedAt: time,
})
export type AdjustmentRequest = RowOf<typeof REQUEST>

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
    `select ${REQUEST.list} from adjustment_requests
     where decision is null order by asked_at, id limit $1`,
    [limit],
  )
  return REQUEST.all(rows)
}

/** Undefined when there is none, or it has been decided. */
export async function lockWaiting(tx: Tx, id: string): Promise<AdjustmentRequest | undefined> {
  const rows = await tx.read(
    `select ${REQUEST.list} from adjustment_requests
     where id = $1 and decision is null for update`,
    [id],
  )
  return REQUEST.first(rows)
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
