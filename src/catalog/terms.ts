import { decimal, decimalText, times } from '../lib/decimal.ts'
import type { Terms } from './changes.ts'
import type { CatalogRecord, ModelFacts } from '../lib/model-record.ts'

/** An upstream as the catalog sees it. */
export type CatalogUpstream = {
  name: string
  /** Lower is tried first. */
  priority: number
  /** Shares within a priority. */
  weight: number
  /** A plain decimal, such as `1.0`; multiplied with the margin of the whole house. */
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

export function termsOf(
  upstream: Pick<CatalogUpstream, 'margin'>,
  settings: PriceSettings,
  facts: Pick<ModelFacts, 'outputModalities'>,
): Terms {
  const isVideo = facts.outputModalities.includes('video')
  const rate = isVideo ? settings.VIDEO_USD_TO_CREDIT_RATE : undefined
  return {
    margin: decimalText(times(decimal(upstream.margin), decimal(settings.PRICE_MARGIN))),
    creditsPerUsd: decimalText(decimal(rate ?? settings.USD_TO_CREDIT_RATE)),
  }
}
