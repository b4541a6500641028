import { as, bool, columns, json, optional, text, time, type RowOf } from '../db/columns.ts'
import type { Tx } from '../db/db.ts'
import type { Changes, KnownOffer } from './changes.ts'
import type { ModelFacts } from './model-record.ts'

const OFFER = columns({
  modelId: as('m.resource_id', text),
  id: as('m.id', text),
  disabled: as('m.disabled_at is not null', bool),
  createdAt: as('m.created_at', time),
  upstream: as('o.upstream', text),
  facts: as('o.record', json<ModelFacts>()),
  listed: as('o.listed', bool),
  byHand: as('o.by_hand', bool),
  price: as(
    `json_build_object('id', p.id, 'pricing', p.pricing, 'priceBasis', p.basis, 'priced', p.priced,
      'margin', p.margin, 'creditsPerUsd', p.credits_per_usd)`,
    json<KnownOffer['price']>(),
  ),
  /** The price that waits for an operator. */
  pending: as(
    `case when w.model_id is not null then json_build_object('pricing', w.pricing,
      'priceBasis', w.basis, 'priced', w.priced, 'reason', w.reason) end`,
    optional(json<NonNullable<KnownOffer['pending']>>()),
  ),
})
export type OfferRow = RowOf<typeof OFFER>

/** Every offer ever made, with its price in force and the one that waits. */
export async function readOffers(tx: Tx): Promise<OfferRow[]> {
  const rows = await tx.read(
    `select ${OFFER.list}
     from catalog_offers o
     join catalog_models m on m.resource_id = o.model_id
     join price_snapshots p on p.id = o.price_id
     left join pending_prices w on w.model_id = o.model_id and w.upstream = o.upstream
     order by m.id, o.upstream`,
  )
  return OFFER.all(rows)
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
