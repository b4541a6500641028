import type { Row, Tx } from '../db/db.ts'
import type { Changes } from './changes.ts'
import type { Leap } from './price-move.ts'
import type { ListedPrice, PriceBasis, Priced, Pricing } from './model-record.ts'

export type PendingPrice = {
  modelId: string
  id: string
  upstream: string
  reason: Leap
  noticedAt: Date
  old: ListedPrice
  next: ListedPrice
  margin: string
  creditsPerUsd: string
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
  const rows = await tx.read<PendingColumns>(
    `select m.resource_id, m.id, w.upstream, w.reason, w.noticed_at,
       w.pricing, w.basis, w.priced, p.margin, p.credits_per_usd,
       p.pricing as old_pricing, p.basis as old_basis, p.priced as old_priced
     from pending_prices w
     join catalog_models m on m.resource_id = w.model_id
     join catalog_offers o on o.model_id = w.model_id and o.upstream = w.upstream
     join price_snapshots p on p.id = o.price_id
     order by m.id, w.upstream`,
  )
  return rows.map((row) => ({
    modelId: row.resource_id,
    id: row.id,
    upstream: row.upstream,
    reason: row.reason,
    noticedAt: row.noticed_at,
    old: { pricing: row.old_pricing, priceBasis: row.old_basis, priced: row.old_priced },
    next: { pricing: row.pricing, priceBasis: row.basis, priced: row.priced },
    margin: row.margin,
    creditsPerUsd: row.credits_per_usd,
  }))
}

type PendingColumns = Row & {
  resource_id: string
  id: string
  upstream: string
  reason: Leap
  noticed_at: Date
  pricing: Pricing
  basis: PriceBasis
  priced: Priced
  margin: string
  credits_per_usd: string
  old_pricing: Pricing
  old_basis: PriceBasis
  old_priced: Priced
}
