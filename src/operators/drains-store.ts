import type { Tx } from '../db/db.ts'

/** An upstream that gets no new calls until an operator undrains it. */
export type Drain = { upstream: string; reason: string | null; operator: string; at: Date }

export function listDrains(tx: Tx): Promise<Drain[]> {
  return tx.read<Drain>('select upstream, reason, operator, at from upstream_drains order by at')
}

/** False when it is drained already. */
export async function insertDrain(tx: Tx, drain: Omit<Drain, 'at'>): Promise<boolean> {
  const rows = await tx.query(
    `insert into upstream_drains (upstream, reason, operator) values ($1, $2, $3)
     on conflict do nothing returning upstream`,
    [drain.upstream, drain.reason, drain.operator],
  )
  return rows.length > 0
}

export async function deleteDrain(tx: Tx, upstream: string): Promise<Drain | undefined> {
  const [row] = await tx.query<Drain>(
    'delete from upstream_drains where upstream = $1 returning upstream, reason, operator, at',
    [upstream],
  )
  return row
}

/** Every process reads the list again. */
export async function notifyDrains(tx: Tx): Promise<void> {
  await tx.query(`select pg_notify('upstream_drains', '')`)
}
