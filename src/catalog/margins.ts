import type { Tx } from '../db/db.ts'
import { Failure } from '../lib/failure.ts'
import { uuidv7 } from '../lib/ids.ts'
import { insertPrices, notifyCatalogChanged, readOffers, setOfferPrices } from './catalog-store.ts'
import type { Changes } from './changes.ts'
import { lockCatalog } from './lease-store.ts'
import { deleteMargin, putMargin, readMargins, type MarginScope } from './margins-store.ts'
import { settingsHashOf, termsOf, type CatalogUpstream, type PriceSettings } from './terms.ts'

export type MarginParts = { settings: PriceSettings; upstreams: readonly CatalogUpstream[] }

export type MarginWish = {
  scope: MarginScope
  name: string
  /** Null: what holds without it, that of the modality or of the whole app. */
  margin: string | null
  operator: string
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
  wish: MarginWish,
): Promise<MarginChange | undefined> {
  const { scope, name, margin } = wish
  const { settingsHash } = await lockCatalog(tx)
  if (settingsHash !== settingsHashOf(parts)) throw otherSettings()
  const offers = await readOffers(tx)
  const isMeant = (one: (typeof offers)[number]) =>
    scope === 'model' ? one.id === name : one.facts.outputModalities.includes(name)
  if (!offers.some(isMeant)) return undefined
  const before = (await readMargins(tx))[scope].get(name)
  if (margin === null) await deleteMargin(tx, scope, name)
  else await putMargin(tx, { scope, name, margin })
  const margins = await readMargins(tx)
  const prices = offers.filter(isMeant).flatMap(({ id, modelId, facts, price, ...offer }) => {
    const upstream = parts.upstreams.find((one) => one.name === offer.upstream)
    if (upstream === undefined) return []
    const { outputModalities } = facts
    const terms = termsOf(upstream, parts.settings, { id, outputModalities }, margins)
    if (terms.margin === price.margin) return []
    const reason: Changes['prices'][number]['reason'] = 'terms'
    const made = {
      id: uuidv7(),
      modelId,
      upstream: offer.upstream,
      operator: wish.operator,
      reason,
    }
    return [{ ...price, ...terms, ...made }]
  })
  if (prices.length > 0) {
    await insertPrices(tx, prices)
    await setOfferPrices(tx, prices)
    await notifyCatalogChanged(tx)
  }
  return { before, repriced: prices.length }
}

function otherSettings(): Failure {
  return new Failure(
    'conflict',
    'The catalog was read with other upstreams, margins or rates than this process is set to. ' +
      'Use the settings of the service, or read the lists first.',
  )
}
