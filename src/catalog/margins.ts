import type { Tx } from '../db/db.ts'
import { compare, decimal, times } from '../lib/decimal.ts'
import { Failure } from '../lib/failure.ts'
import { uuidv7 } from '../lib/ids.ts'
import { insertPrices, notifyCatalogChanged, readOffers, setOfferPrices } from './catalog-store.ts'
import type { Changes, Terms } from './changes.ts'
import { lockCatalog } from './lease-store.ts'
import {
  deleteMargin,
  putMargin,
  readMargins,
  readMarginsOfYesterday,
  type MarginScope,
} from './margins-store.ts'
import { settingsHashOf, termsOf, type CatalogUpstream, type PriceSettings } from './terms.ts'

export type MarginParts = { settings: PriceSettings; upstreams: readonly CatalogUpstream[] }

export type MarginWish = {
  scope: MarginScope
  name: string
  /** Null: what holds without it, that of the modality or of the whole app. */
  margin: string | null
}

export type MarginChange = { before: string | undefined; repriced: number }

/**
 * Sets a margin, and makes the prices that follow from it. Every process is notified. Undefined when
 * there is no such model, or none that produces this. Prices follow from settings too: a process
 * whose settings are not those of the catalog makes none.
 */
export async function setMargin(
  tx: Tx,
  parts: MarginParts,
  { operator, ...wish }: MarginWish & { operator: string },
): Promise<MarginChange | undefined> {
  const plan = await planMargin(tx, parts, wish)
  if (plan === undefined) return undefined
  const { scope, name, margin } = wish
  if (margin === null) await deleteMargin(tx, scope, name)
  else await putMargin(tx, { scope, name, margin })
  const prices = plan.changed.map(({ offer: { facts: _facts, ...offer }, terms }) => {
    const { modelId, upstream, price } = offer
    const reason: Changes['prices'][number]['reason'] = 'terms'
    return { ...price, ...terms, id: uuidv7(), modelId, upstream, operator, reason }
  })
  if (prices.length > 0) {
    await insertPrices(tx, prices)
    await setOfferPrices(tx, prices)
    await notifyCatalogChanged(tx)
  }
  return { before: plan.before, repriced: prices.length }
}

/**
 * Whether a margin goes beyond what one person decides: below what the upstream charges, or further
 * from the margin of a day ago, whoever changed it since, than a price may move by itself.
 */
export async function isBoldMargin(tx: Tx, parts: MarginParts, wish: MarginWish): Promise<boolean> {
  const { changed } = (await planMargin(tx, parts, wish)) ?? { changed: [] }
  const dayOld = await readMarginsOfYesterday(tx, [
    ...new Set(changed.map((one) => one.offer.modelId)),
  ])
  const guard = decimal(parts.settings.PRICE_CHANGE_GUARD)
  return changed.some(({ offer, terms }) => {
    const next = decimal(terms.margin)
    const then = decimal(dayOld.get(`${offer.modelId} ${offer.upstream}`) ?? offer.price.margin)
    if (compare(next, COST) < 0) return true
    return compare(next, times(then, guard)) > 0 || compare(then, times(next, guard)) > 0
  })
}

const COST = decimal('1')

type Offer = Awaited<ReturnType<typeof readOffers>>[number]
type Plan = { before: string | undefined; changed: { offer: Offer; terms: Terms }[] }

/** The offers whose margin becomes another by it. The catalog stays locked until the commit. */
async function planMargin(
  tx: Tx,
  parts: MarginParts,
  { scope, name, margin }: MarginWish,
): Promise<Plan | undefined> {
  const { settingsHash } = await lockCatalog(tx)
  if (settingsHash !== settingsHashOf(parts)) throw otherSettings()
  const meant = (await readOffers(tx)).filter((one) =>
    scope === 'model' ? one.id === name : one.facts.outputModalities.includes(name),
  )
  if (meant.length === 0) return undefined
  const margins = await readMargins(tx)
  const own = new Map(margins[scope])
  if (margin === null) own.delete(name)
  else own.set(name, margin)
  const changed = meant.flatMap((offer) => {
    const upstream = parts.upstreams.find((one) => one.name === offer.upstream)
    if (upstream === undefined) return []
    const record = { id: offer.id, outputModalities: offer.facts.outputModalities }
    const terms = termsOf(upstream, parts.settings, record, { ...margins, [scope]: own })
    return terms.margin === offer.price.margin ? [] : [{ offer, terms }]
  })
  return { before: margins[scope].get(name), changed }
}

function otherSettings(): Failure {
  return new Failure(
    'conflict',
    'The catalog was read with other upstreams, margins or rates than this process is set to. ' +
      'Use the settings of the service, or read the lists first.',
  )
}
