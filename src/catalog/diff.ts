import { canonicalJson } from '../lib/canonical-json.ts'
import type { Decimal } from '../lib/decimal.ts'
import type { CatalogRecord, ListedPrice, ModelFacts } from './model-record.ts'
import { leapBetween, samePrice, type Leap } from './price-move.ts'
import type { Changes, KnownOffer, Reading, Terms } from './changes.ts'

/** Pure: what is known and what was read give what must be written. */
export function diffCatalog(input: {
  known: readonly KnownOffer[]
  readings: readonly Reading[]
  guard: Decimal
  newId: () => string
}): Changes {
  const changes: Changes = {
    models: [],
    prices: [],
    offers: [],
    gone: [],
    waiting: [],
    settled: [],
  }
  const modelIds = new Map(input.known.map((offer) => [offer.id, offer.modelId]))
  const known = new Map(input.known.map((offer) => [keyOf(offer.upstream, offer.id), offer]))
  const modelId = (id: string) => {
    const found = modelIds.get(id)
    if (found !== undefined) return found
    const made = input.newId()
    modelIds.set(id, made)
    changes.models.push({ resourceId: made, id })
    return made
  }
  const seen = new Set<string>()
  for (const reading of input.readings) {
    for (const { record, byHand } of offered(reading, input.known)) {
      const key = keyOf(reading.upstream, record.id)
      if (seen.has(key)) continue
      seen.add(key)
      const old = known.get(key)
      const base = { modelId: modelId(record.id), upstream: reading.upstream, id: record.id }
      compareOffer({ ...input, changes, old, record, byHand, base, terms: reading.terms(record) })
    }
  }
  for (const offer of input.known) {
    if (offer.listed && !seen.has(keyOf(offer.upstream, offer.id))) changes.gone.push(offer)
  }
  return changes
}

/** Hand-written records first, so that they win; then the list, or what is known of it. */
function offered(reading: Reading, known: readonly KnownOffer[]) {
  const byHand = reading.byHand.map((record) => ({ record, byHand: true }))
  const listing =
    reading.listing ??
    known
      .filter((offer) => offer.upstream === reading.upstream && offer.listed && !offer.byHand)
      .map(asRecord)
  return [...byHand, ...listing.map((record) => ({ record, byHand: false }))]
}

/** The list could not be read: the offer stays, and so does a price that waits for approval. */
function asRecord({ id, facts, price, pending }: KnownOffer): CatalogRecord {
  const { pricing, priceBasis, priced } = pending ?? price
  return { id, ...facts, pricing, priceBasis, priced }
}

type OfferComparison = {
  changes: Changes
  guard: Decimal
  newId: () => string
  old: KnownOffer | undefined
  record: CatalogRecord
  byHand: boolean
  base: { modelId: string; upstream: string; id: string }
  terms: Terms
}

/** One offer: is it new, has it changed, and may its new price be taken at once? */
function compareOffer({
  changes,
  guard,
  newId,
  old,
  record,
  byHand,
  base,
  terms,
}: OfferComparison): void {
  const { id: _id, pricing, priceBasis, priced, ...rest } = record
  const facts = factsOf(rest)
  const listed: ListedPrice = { pricing, priceBasis, priced }
  const leap = old && !byHand ? leapBetween(old.price, listed, guard) : undefined
  const keepsPrice = old !== undefined && (leap !== undefined || samePrice(old.price, listed))
  const sameTerms =
    old?.price.margin === terms.margin && old.price.creditsPerUsd === terms.creditsPerUsd
  let priceId = old?.price.id
  if (!keepsPrice || !sameTerms) {
    priceId = newId()
    const price = keepsPrice ? pick(old.price) : listed
    const reason = keepsPrice ? 'terms' : byHand ? 'by_hand' : old ? 'listed' : 'first'
    changes.prices.push({ ...base, ...price, ...terms, id: priceId, reason })
  }
  if (leap !== undefined && !isKnownLeap(old?.pending, listed, leap)) {
    changes.waiting.push({ ...base, ...listed, reason: leap })
  }
  if (leap === undefined && old?.pending !== undefined) changes.settled.push(base)
  const unchanged =
    old?.listed === true &&
    old.byHand === byHand &&
    canonicalJson(old.facts) === canonicalJson(facts)
  if (!unchanged || priceId !== old?.price.id) {
    changes.offers.push({ ...base, facts, priceId: priceId!, byHand })
  }
}

function isKnownLeap(pending: KnownOffer['pending'], listed: ListedPrice, leap: Leap): boolean {
  return pending !== undefined && pending.reason === leap && samePrice(pending, listed)
}

const pick = ({ pricing, priceBasis, priced }: ListedPrice): ListedPrice => ({
  pricing,
  priceBasis,
  priced,
})

/** Only what this room knows of: a record may carry more. */
function factsOf(record: ModelFacts): ModelFacts {
  return {
    upstreamModel: record.upstreamModel,
    name: record.name,
    description: record.description,
    created: record.created,
    expires: record.expires,
    contextLength: record.contextLength,
    maxOutputTokens: record.maxOutputTokens,
    inputModalities: record.inputModalities,
    outputModalities: record.outputModalities,
    supportedParameters: record.supportedParameters,
    supportedVoices: record.supportedVoices,
    video: record.video,
  }
}

const keyOf = (upstream: string, id: string): string => `${upstream}\n${id}`
