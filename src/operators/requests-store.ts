import { columns, json, orNull, text, time, type RowOf } from '../db/columns.ts'
import type { Tx } from '../db/db.ts'
import { uuidv7 } from '../lib/ids.ts'

/** What waits for a second owner. */
const REQUEST = columns({
  id: text,
  action: text,
  targetType: text,
  targetId: text,
  wish: json<object>(),
  reason: orNull(text),
  key: text,
  askedBy: text,
  askedByName: text,
  askedAt: time,
})
export type OperatorRequest = RowOf<typeof REQUEST>

/** After a week things are different: whoever still wants it asks again. So does a new operator. */
const WAITS = `decision is null and asked_at > now() - interval '7 days'
  and asked_by in (select account_id from operators)`

/** The same key again is the same request, which is then not `fresh`. */
export async function insertRequest(
  tx: Tx,
  asked: Omit<OperatorRequest, 'id' | 'askedAt'>,
): Promise<{ id: string; fresh: boolean }> {
  const [row] = await tx.query<{ id: string; fresh: boolean }>(
    `insert into operator_requests
       (id, action, target_type, target_id, wish, reason, key, asked_by, asked_by_name)
     values ($1, $2, $3, $4, $5::jsonb, $6, $7, $8, $9)
     on conflict (key) do update set key = excluded.key returning id, id = $1 as fresh`,
    [
      uuidv7(),
      asked.action,
      asked.targetType,
      asked.targetId,
      JSON.stringify(asked.wish),
      asked.reason,
      asked.key,
      asked.askedBy,
      asked.askedByName,
    ],
  )
  return row!
}

/** The oldest first. */
export async function listWaiting(tx: Tx, limit: number): Promise<OperatorRequest[]> {
  const rows = await tx.read(
    `select ${REQUEST.list} from operator_requests where ${WAITS} order by asked_at, id limit $1`,
    [limit],
  )
  return REQUEST.all(rows)
}

export async function countWaitingOf(tx: Tx, operatorId: string): Promise<number> {
  const [row] = await tx.read<{ count: number }>(
    `select count(*)::int4 as count from operator_requests where ${WAITS} and asked_by = $1`,
    [operatorId],
  )
  return row!.count
}

/** Undefined when there is none, or it has been decided. */
export async function lockWaiting(tx: Tx, id: string): Promise<OperatorRequest | undefined> {
  const rows = await tx.read(
    `select ${REQUEST.list} from operator_requests where id = $1 and ${WAITS} for update`,
    [id],
  )
  return REQUEST.first(rows)
}

export async function decideRequest(
  tx: Tx,
  id: string,
  decision: 'approved' | 'refused',
): Promise<void> {
  await tx.query('update operator_requests set decision = $2, decided_at = now() where id = $1', [
    id,
    decision,
  ])
}
