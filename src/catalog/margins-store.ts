import type { Tx } from '../db/db.ts'
import type { OwnMargins } from './terms.ts'

export type MarginScope = keyof OwnMargins

type MarginRow = { scope: MarginScope; name: string; margin: string }

export async function readMargins(tx: Tx): Promise<OwnMargins> {
  const rows = await tx.read<MarginRow>('select scope, name, margin from margins')
  const of = (scope: MarginScope) =>
    new Map(rows.filter((row) => row.scope === scope).map(({ name, margin }) => [name, margin]))
  return { model: of('model'), modality: of('modality') }
}

export async function putMargin(tx: Tx, { scope, name, margin }: MarginRow): Promise<void> {
  await tx.query(
    `insert into margins (scope, name, margin) values ($1, $2, $3)
     on conflict (scope, name) do update set margin = excluded.margin`,
    [scope, name, margin],
  )
}

export async function deleteMargin(tx: Tx, scope: MarginScope, name: string): Promise<void> {
  await tx.query('delete from margins where scope = $1 and name = $2', [scope, name])
}

/** By `model upstream`, the margins in force a day ago; of what is newer, the first one. */
export async function readMarginsOfYesterday(
  tx: Tx,
  modelIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await tx.read<{ offer: string; margin: string }>(
    `select distinct on (model_id, upstream) model_id || ' ' || upstream as offer, margin
     from price_snapshots where model_id = any($1::uuid[])
     order by model_id, upstream, taken_at > now() - interval '24 hours',
       abs(extract(epoch from taken_at - (now() - interval '24 hours')))`,
    [modelIds],
  )
  return new Map(rows.map(({ offer, margin }) => [offer, margin]))
}
