import type { Tx } from '../../db/db.ts'
import { deleteOldest } from '../../db/purge-store.ts'

const TODAY = `(now() at time zone 'utc')::date`

/** Counts one more of the day; false, and not counted, when there were `most` already. */
export async function takeSmsCode(tx: Tx, bucket: string, most: number): Promise<boolean> {
  const rows = await tx.query(
    `insert into sms_code_days as d (bucket, day, sent) values ($1, ${TODAY}, 1)
     on conflict (day, bucket) do update set sent = d.sent + 1 where d.sent < $2
     returning sent`,
    [bucket, most],
  )
  return rows.length === 1
}

export async function smsCodesToday(tx: Tx, bucket: string): Promise<number> {
  const [row] = await tx.read<{ sent: number }>(
    `select sent from sms_code_days where bucket = $1 and day = ${TODAY}`,
    [bucket],
  )
  return row?.sent ?? 0
}

export function purgeSmsCodes(tx: Tx, batch: number): Promise<number> {
  const where = `day < ${TODAY} - 2`
  return deleteOldest(tx, batch, { table: 'sms_code_days', where, order: 'day' })
}
