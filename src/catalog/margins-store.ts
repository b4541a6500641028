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
