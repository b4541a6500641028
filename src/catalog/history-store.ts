import type { Row, Tx } from '../db/db.ts'
import type { Priced, Pricing } from './model-record.ts'

/** By its id or its resource id. */
export async function findCatalogModel(
  tx: Tx,
  id: string,
): Promise<{ resourceId: string; id: string } | undefined> {
  const [row] = await tx.read<{ resource_id: string; id: string }>(
    'select resource_id, id from catalog_models where id = $1 or resource_id::text = $1',
    [id],
  )
  return row && { resourceId: row.resource_id, id: row.id }
}

/** A price as it was charged from a moment on, until the next one of the same upstream. */
export type PastPrice = {
  id: string
  upstream: string
  takenAt: Date
  reason: string
  operator: string | undefined
  inForce: boolean
  pricing: Pricing
  priced: Priced
  margin: string
  creditsPerUsd: string
}

/** Newest first: ids grow with time. */
export async function readPastPrices(
  tx: Tx,
  page: { modelId: string; before: string | undefined; limit: number },
): Promise<PastPrice[]> {
  const rows = await tx.read<PastColumns>(
    `select p.id, p.upstream, p.taken_at, p.reason, p.operator, o.price_id is not null as in_force,
       p.pricing, p.priced, p.margin, p.credits_per_usd
     from price_snapshots p
     left join catalog_offers o on o.model_id = p.model_id and o.price_id = p.id
     where p.model_id = $1 and ($2::uuid is null or p.id < $2) order by p.id desc limit $3`,
    [page.modelId, page.before ?? null, page.limit],
  )
  return rows.map((row) => ({
    id: row.id,
    upstream: row.upstream,
    takenAt: row.taken_at,
    reason: row.reason,
    operator: row.operator ?? undefined,
    inForce: row.in_force,
    pricing: row.pricing,
    priced: row.priced,
    margin: row.margin,
    creditsPerUsd: row.credits_per_usd,
  }))
}

type PastColumns = Row & {
  id: string
  upstream: string
  taken_at: Date
  reason: string
  operator: string | null
  in_force: boolean
  pricing: Pricing
  priced: Priced
  margin: string
  credits_per_usd: string
}
