import type { CatalogRecord } from '../../src/catalog/model-record.ts'
import type { CatalogUpstream, PriceSettings } from '../../src/catalog/terms.ts'

export const settings: PriceSettings = {
  PRICE_MARGIN: '1.0',
  USD_TO_CREDIT_RATE: '3000',
  PRICE_CHANGE_GUARD: 3,
}

export function record(id: string, more: Partial<CatalogRecord> = {}): CatalogRecord {
  return {
    id,
    upstreamModel: id,
    name: `Name of ${id}`,
    inputModalities: ['text'],
    outputModalities: ['text'],
    supportedParameters: ['temperature'],
    supportedVoices: [],
    pricing: { prompt: '0.000001', completion: '0.000002' },
    priceBasis: 'token',
    priced: 'paid',
    ...more,
  }
}

export function priced(id: string, prompt: string, completion: string): CatalogRecord {
  return record(id, { pricing: { prompt, completion } })
}

export function upstream(name: string, more: Partial<CatalogUpstream> = {}): CatalogUpstream {
  return { name, priority: 1, weight: 1, margin: '1.0', sync: true, byHand: [], ...more }
}
