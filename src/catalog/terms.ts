import { canonicalJson } from '../lib/canonical-json.ts'
import { decimal, decimalText, largestDecimal, times } from '../lib/decimal.ts'
import { sha256 } from '../lib/secrets.ts'
import type { Terms } from './changes.ts'
import type { CatalogRecord } from './model-record.ts'

/** An upstream as the catalog sees it. */
export type CatalogUpstream = {
  name: string
  /** Lower is tried first. */
  priority: number
  /** Shares within a priority. */
  weight: number
  /** A plain decimal, such as `1.0`; multiplied with the margin of the whole app. */
  margin: string
  /** False: it publishes no list; only hand-written records count. */
  sync: boolean
  byHand: readonly CatalogRecord[]
}

/** The settings that prices are made with. A `Config` fits. */
export type PriceSettings = {
  PRICE_MARGIN: string
  USD_TO_CREDIT_RATE: string
  VIDEO_USD_TO_CREDIT_RATE?: string | undefined
  PRICE_CHANGE_GUARD: number
}

/** What operators have set, by id of a model and by what models produce. */
export type OwnMargins = {
  model: ReadonlyMap<string, string>
  modality: ReadonlyMap<string, string>
}

type PricedRecord = Pick<CatalogRecord, 'id' | 'outputModalities'>

/** The margin of the model, else of what it produces, else of the whole app; times the upstream's. */
export function termsOf(
  upstream: Pick<CatalogUpstream, 'margin'>,
  settings: PriceSettings,
  record: PricedRecord,
  margins: OwnMargins,
): Terms {
  const isVideo = record.outputModalities.includes('video')
  const rate = isVideo ? settings.VIDEO_USD_TO_CREDIT_RATE : undefined
  const margin = ownMargin(record, margins) ?? settings.PRICE_MARGIN
  return {
    margin: decimalText(times(decimal(upstream.margin), decimal(margin))),
    creditsPerUsd: decimalText(decimal(rate ?? settings.USD_TO_CREDIT_RATE)),
  }
}

/** Another margin, rate, or file of upstreams: processes that share it share one hash. */
export function settingsHashOf(parts: {
  upstreams: readonly CatalogUpstream[]
  settings: PriceSettings
}): string {
  const { PRICE_MARGIN, USD_TO_CREDIT_RATE, VIDEO_USD_TO_CREDIT_RATE } = parts.settings
  const offered = parts.upstreams.map(({ name, margin, sync, byHand }) => ({
    name,
    margin,
    sync,
    byHand,
  }))
  const rates = { PRICE_MARGIN, USD_TO_CREDIT_RATE, VIDEO_USD_TO_CREDIT_RATE }
  return sha256(canonicalJson({ offered, rates })).toString('base64url')
}

/** Of a model that produces several things, the highest. */
function ownMargin({ id, outputModalities }: PricedRecord, margins: OwnMargins) {
  const ofModalities = outputModalities.flatMap((one) => margins.modality.get(one) ?? [])
  return margins.model.get(id) ?? largestDecimal(ofModalities)
}
