import { as, bool, columns, json, oneOf, optional, text, time, type RowOf } from '../db/columns.ts'
import type { Tx } from '../db/db.ts'
import type { Priced, Pricing } from './model-record.ts'

/** By its id or its resource id. */
export async function findCatalogModel(
  tx: Tx,
  id: string,
): Promise<{ resourceId: string; id: string } | undefined> {
  const [row] = await tx.read<{ resourceId: string; id: string }>(
    'select resource_id as "resourceId", id from catalog_models where id = $1 or resource_id::text = $1',
    [id],
  )
  return row
}

/** A price as it was charged from a moment on, until the next one of the same upstream. */
const PAST_PRICE = columns({
  id: as('p.id', text),
  upstream: as('p.upstream', text),
  takenAt: time,
  reason: text,
  operator: optional(text),
  inForce: as('o.price_id is not null', bool),
  pricing: json<Pricing>(),
  priced: oneOf<Priced>(),
  margin: text,
  creditsPerUsd: text,
})
export type PastPrice = RowOf<typeof PAST_PRICE>

/** Newest first: ids grow with time. */
export async function readPastPrices(
  tx: Tx,
  page: { modelId: string; before: string | undefined; limit: number },
): Promise<PastPrice[]> {
  const rows = await tx.read(
    `select ${PAST_PRICE.list}
     from price_snapshots p
     left join catalog_offers o on o.model_id = p.model_id and o.price_id = p.id
     where p.model_id = $1 and ($2::uuid is null or p.id < $2) order by p.id desc limit $3`,
    [page.modelId, page.before ?? null, page.limit],
  )
  return PAST_PRICE.all(rows)
}
