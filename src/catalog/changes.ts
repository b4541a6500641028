import type { Leap } from './price-move.ts'
import type { CatalogRecord, ListedPrice, ModelFacts } from './model-record.ts'

/** What makes credits of an upstream's dollars. */
export type Terms = { margin: string; creditsPerUsd: string }

type PriceReason = 'first' | 'listed' | 'by_hand' | 'terms' | 'approved'

export type KnownOffer = {
  modelId: string
  id: string
  upstream: string
  facts: ModelFacts
  listed: boolean
  byHand: boolean
  price: ListedPrice & Terms & { id: string }
  pending: (ListedPrice & { reason: Leap }) | undefined
}

/** What one upstream offers now. */
export type Reading = {
  upstream: string
  /** Undefined: the list could not be read, and what is known of it stays as it is. */
  listing: readonly CatalogRecord[] | undefined
  /** From the operator's file. They win over listed ones and need no approval. */
  byHand: readonly CatalogRecord[]
  terms(record: CatalogRecord): Terms
}

export type Changes = {
  models: { resourceId: string; id: string }[]
  prices: (ListedPrice &
    Terms & { id: string; modelId: string; upstream: string; reason: PriceReason })[]
  offers: {
    modelId: string
    upstream: string
    facts: ModelFacts
    priceId: string
    byHand: boolean
  }[]
  /** No longer offered: disabled, never deleted. */
  gone: { modelId: string; upstream: string; id: string }[]
  waiting: (ListedPrice & { modelId: string; upstream: string; id: string; reason: Leap })[]
  /** No longer waiting: the price came back, or was approved. */
  settled: { modelId: string; upstream: string }[]
}

export function isNothing(changes: Changes): boolean {
  return Object.values(changes).every((list) => list.length === 0)
}
