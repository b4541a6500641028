import { as, bytes, columns, int8, mapped, time, type RowOf } from '../../db/columns.ts'
import type { Tx } from '../../db/db.ts'

const HEAD = columns({
  seq: int8,
  hash: mapped(bytes, (hash) => Buffer.from(hash).toString('hex')),
  at: as('told_at', time),
})
export type ToldHead = RowOf<typeof HEAD>

/** The end of the log, if it is to be told now: once an hour, to one process, and only what is new. */
export async function takeHead(tx: Tx): Promise<ToldHead | undefined> {
  const rows = await tx.query(
    `update operator_log set told_seq = seq, told_at = now()
     where seq > told_seq and told_at <= now() - interval '1 hour' returning ${HEAD.list}`,
  )
  return HEAD.first(rows)
}
