import type { Row, Tx } from '../db/db.ts'
import type { Changes, KnownOffer } from './changes.ts'
import type { Leap } from './price-move.ts'
import type { ModelFacts, PriceBasis, Priced, Pricing } from './model-record.ts'

export type OfferRow = KnownOffer & { disabled: boolean; createdAt: Date }

/** Every offer ever made, with its price in force and the one that waits. */
export async function readOffers(tx: Tx): Promise<OfferRow[]> {
  const rows = await tx.read<OfferColumns>(
    `select m.resource_id, m.id, m.disabled_at is not null as disabled, m.created_at,
       o.upstream, o.record, o.listed, o.by_hand,
       p.id as price_id, p.pricing, p.basis, p.priced, p.margin, p.credits_per_usd,
       w.pricing as next_pricing, w.basis as next_basis, w.priced as next_priced, w.reason
     from catalog_offers o
     join catalog_models m on m.resource_id = o.model_id
     join price_snapshots p on p.id = o.price_id
     left join pending_prices w on w.model_id = o.model_id and w.upstream = o.upstream
     order by m.id, o.upstream`,
  )
  return rows.map(offerOf)
}

type OfferColumns = Row & {
  resource_id: string
  id: string
  disabled: boolean
  created_at: Date
  upstream: string
  record: ModelFacts
  listed: boolean
  by_hand: boolean
  price_id: string
  pricing: Pricing
  basis: PriceBasis
  priced: Priced
  margin: string
  credits_per_usd: string
  next_pricing: Pricing | null
  next_basis: PriceBasis
  next_priced: Priced
  reason: Leap
}

function offerOf(row: OfferColumns): OfferRow {
  return {
    modelId: row.resource_id,
    id: row.id,
    disabled: row.disabled,
    createdAt: row.created_at,
    upstream: row.upstream,
    facts: row.record,
    listed: row.listed,
    byHand: row.by_hand,
    price: {
      id: row.price_id,
      pricing: row.pricing,
      priceBasis: row.basis,
      priced: row.priced,
      margin: row.margin,
      creditsPerUsd: row.credits_per_usd,
    },
    pending:
      row.next_pricing === null
        ? undefined
        : {
            pricing: row.next_pricing,
            priceBasis: row.next_basis,
            priced: row.next_priced,
            reason: row.reason,
          },
  }
}

export async function insertModels(tx: Tx, models: Changes['models']): Promise<void> {
  await tx.query(
    `insert into catalog_models (resource_id, id)
     select "resourceId", id from jsonb_to_recordset($1::text::jsonb) as m("resourceId" uuid, id text)`,
    [JSON.stringify(models)],
  )
}

export async function insertPrices(
  tx: Tx,
  prices: (Changes['prices'][number] & { operator?: string | undefined })[],
): Promise<void> {
  await tx.query(
    `insert into price_snapshots
       (id, model_id, upstream, pricing, basis, priced, margin, credits_per_usd, reason, operator)
     select id, "modelId", upstream, pricing, "priceBasis", priced, margin, "creditsPerUsd", reason, operator
     from jsonb_to_recordset($1::text::jsonb) as p(id uuid, "modelId" uuid, upstream text, pricing jsonb,
       "priceBasis" text, priced text, margin text, "creditsPerUsd" text, reason text, operator text)`,
    [JSON.stringify(prices)],
  )
}

export async function upsertOffers(tx: Tx, offers: Changes['offers']): Promise<void> {
  await tx.query(
    `insert into catalog_offers (model_id, upstream, record, price_id, listed, by_hand)
     select "modelId", upstream, facts, "priceId", true, "byHand"
     from jsonb_to_recordset($1::text::jsonb)
       as o("modelId" uuid, upstream text, facts jsonb, "priceId" uuid, "byHand" boolean)
     on conflict (model_id, upstream) do update set record = excluded.record,
       price_id = excluded.price_id, listed = true, by_hand = excluded.by_hand, changed_at = now()`,
    [JSON.stringify(offers)],
  )
}

/** The offer stays, so that old charges and a return of the model find it. */
export async function unlistOffers(tx: Tx, gone: Changes['gone']): Promise<void> {
  await tx.query(
    `update catalog_offers as o set listed = false, changed_at = now()
     from jsonb_to_recordset($1::text::jsonb) as g("modelId" uuid, upstream text)
     where o.model_id = g."modelId" and o.upstream = g.upstream`,
    [JSON.stringify(gone.map(({ modelId, upstream }) => ({ modelId, upstream })))],
  )
}

export async function setOfferPrices(
  tx: Tx,
  prices: readonly { id: string; modelId: string; upstream: string }[],
): Promise<void> {
  const rows = prices.map(({ id, modelId, upstream }) => ({ id, modelId, upstream }))
  await tx.query(
    `update catalog_offers as o set price_id = p.id, changed_at = now()
     from jsonb_to_recordset($1::text::jsonb) as p(id uuid, "modelId" uuid, upstream text)
     where o.model_id = p."modelId" and o.upstream = p.upstream`,
    [JSON.stringify(rows)],
  )
}

/** Whether it was disabled before; undefined when there is no such model. */
export async function setDisabled(
  tx: Tx,
  id: string,
  disabled: boolean,
): Promise<boolean | undefined> {
  const [row] = await tx.query<{ was: boolean }>(
    `with before as (select id, disabled_at is not null as was from catalog_models where id = $1)
     update catalog_models m
     set disabled_at = case when $2 then coalesce(disabled_at, now()) end
     from before where m.id = before.id returning before.was`,
    [id, disabled],
  )
  return row?.was
}

/** Every process that holds a catalog reads it again. */
export async function notifyCatalogChanged(tx: Tx): Promise<void> {
  await tx.query(`select pg_notify('catalog', '')`)
}
