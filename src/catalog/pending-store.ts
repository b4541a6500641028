import { as, columns, json, oneOf, text, time, type RowOf } from '../db/columns.ts'
import type { Tx } from '../db/db.ts'
import type { Changes } from './changes.ts'
import type { Leap } from './price-move.ts'
import type { ListedPrice } from './model-record.ts'

const PENDING = columns({
  modelId: as('m.resource_id', text),
  id: as('m.id', text),
  upstream: as('w.upstream', text),
  reason: as('w.reason', oneOf<Leap>()),
  noticedAt: time,
  old: listedPrice('p'),
  next: listedPrice('w'),
  margin: text,
  creditsPerUsd: text,
})
export type PendingPrice = RowOf<typeof PENDING>

/** From a table that has the columns of a price. */
function listedPrice(table: string) {
  const parts = `'pricing', ${table}.pricing, 'priceBasis', ${table}.basis, 'priced', ${table}.priced`
  return as(`json_build_object(${parts})`, json<ListedPrice>())
}

export async function insertPending(tx: Tx, waiting: Changes['waiting']): Promise<void> {
  await tx.query(
    `insert into pending_prices (model_id, upstream, pricing, basis, priced, reason)
     select "modelId", upstream, pricing, "priceBasis", priced, reason
     from jsonb_to_recordset($1::text::jsonb) as w("modelId" uuid, upstream text, pricing jsonb,
       "priceBasis" text, priced text, reason text)
     on conflict (model_id, upstream) do update set pricing = excluded.pricing,
       basis = excluded.basis, priced = excluded.priced, reason = excluded.reason, noticed_at = now()`,
    [JSON.stringify(waiting)],
  )
}

export async function deletePending(tx: Tx, settled: Changes['settled']): Promise<void> {
  await tx.query(
    `delete from pending_prices as w
     using jsonb_to_recordset($1::text::jsonb) as s("modelId" uuid, upstream text)
     where w.model_id = s."modelId" and w.upstream = s.upstream`,
    [JSON.stringify(settled.map(({ modelId, upstream }) => ({ modelId, upstream })))],
  )
}

export async function readPending(tx: Tx): Promise<PendingPrice[]> {
  const rows = await tx.read(
    `select ${PENDING.list}
     from pending_prices w
     join catalog_models m on m.resource_id = w.model_id
     join catalog_offers o on o.model_id = w.model_id and o.upstream = w.upstream
     join price_snapshots p on p.id = o.price_id
     order by m.id, w.upstream`,
  )
  return PENDING.all(rows)
}
