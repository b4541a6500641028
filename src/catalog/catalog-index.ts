import { decimal, type Decimal } from '../lib/decimal.ts'
import type { OfferRow } from './catalog-store.ts'
import type { ModelFacts, Priced, Pricing } from './model-record.ts'
import type { CatalogUpstream } from './terms.ts'

/** A price in force: USD per unit, and what makes credits of it. Every charge names its id. */
export type PriceSnapshot = {
  id: string
  pricing: Pricing
  basis: string
  priced: Priced
  margin: Decimal
  creditsPerUsd: Decimal
}

/** One upstream's offer of a model. Fits what the upstreams call a target. */
export type Offer = {
  upstream: string
  /** The id to send to this upstream. */
  model: string
  priority: number
  weight: number
  maxOutputTokens: number | undefined
  supportedParameters: readonly string[]
  price: PriceSnapshot
}

export type CatalogModel = Omit<ModelFacts, 'upstreamModel'> & {
  resourceId: string
  /** The bare catalog id. */
  id: string
  /** Offered by an upstream that is configured here, not expired, and not disabled by the operator. */
  enabled: boolean
  priced: Priced
  /** The best first: by priority, then by weight. */
  offers: readonly Offer[]
  /** What is listed and charged: the price of the first offer that has one. */
  price: PriceSnapshot
}

/** The whole catalog at one moment. Never changed: the next one takes its place. */
export type CatalogIndex = {
  /** Those that can be used, by id. */
  readonly models: readonly CatalogModel[]
  /** By every form of id, also those that cannot be used. */
  readonly byId: ReadonlyMap<string, CatalogModel>
  /** When the next offer expires, in milliseconds: until then this is the catalog. */
  readonly untilMs: number
}

export function buildCatalogIndex(
  rows: readonly OfferRow[],
  upstreams: readonly CatalogUpstream[],
  nowMs: number,
): CatalogIndex {
  const byName = new Map(upstreams.map((upstream) => [upstream.name, upstream]))
  const groups = Map.groupBy(rows, (row) => row.modelId)
  const isLive = (row: OfferRow) => row.listed && byName.has(row.upstream) && expiryMs(row) > nowMs
  const all = [...groups.values()].map((group) => modelOf(group, byName, isLive))
  return {
    models: all.filter((model) => model.enabled && model.priced !== 'unpriced'),
    byId: modelsById(all),
    untilMs: rows.map(expiryMs).reduce((next, ms) => (ms > nowMs && ms < next ? ms : next), NEVER),
  }
}

const NEVER = Number.POSITIVE_INFINITY

function expiryMs({ facts: { expires } }: OfferRow): number {
  return expires === undefined ? NEVER : expires * 1_000
}

function modelOf(
  group: OfferRow[],
  upstreams: Map<string, CatalogUpstream>,
  isLive: (row: OfferRow) => boolean,
): CatalogModel {
  const live = group.filter(isLive)
  const ranked = live.map((row) => ({ row, offer: offerOf(row, upstreams.get(row.upstream)!) }))
  ranked.sort((a, b) => a.offer.priority - b.offer.priority || b.offer.weight - a.offer.weight)
  // An offer without a price cannot be charged for, so the model is not served through it.
  const priced = ranked.filter(({ offer }) => offer.price.priced !== 'unpriced')
  const first = priced[0] ?? ranked[0]
  const { row } = first ?? { row: group[0]! }
  const { upstreamModel: _upstreamModel, ...facts } = row.facts
  return {
    ...facts,
    resourceId: row.modelId,
    id: row.id,
    enabled: live.length > 0 && !row.disabled,
    priced: row.price.priced,
    offers: priced.map(({ offer }) => offer),
    price: first?.offer.price ?? snapshotOf(row),
    created: facts.created ?? Math.floor(row.createdAt.getTime() / 1_000),
  }
}

function offerOf(row: OfferRow, upstream: CatalogUpstream): Offer {
  return {
    upstream: row.upstream,
    model: row.facts.upstreamModel,
    priority: upstream.priority,
    weight: upstream.weight,
    maxOutputTokens: row.facts.maxOutputTokens,
    supportedParameters: row.facts.supportedParameters,
    price: snapshotOf(row),
  }
}

function snapshotOf({ price }: OfferRow): PriceSnapshot {
  return {
    id: price.id,
    pricing: price.pricing,
    basis: price.priceBasis,
    priced: price.priced,
    margin: decimal(price.margin),
    creditsPerUsd: decimal(price.creditsPerUsd),
  }
}

/** Bare ids come last, so that they win over an older form that happens to look the same. */
function modelsById(models: readonly CatalogModel[]): Map<string, CatalogModel> {
  const byId = new Map<string, CatalogModel>()
  for (const model of models) {
    for (const { upstream } of model.offers) {
      byId.set(`${upstream}/${model.id}`, model)
      byId.set(`${upstream}:${model.id}`, model)
    }
  }
  for (const model of models) {
    byId.set(model.resourceId, model)
    byId.set(model.id, model)
  }
  return byId
}
