import {
  addDecimals,
  compareDecimals,
  plainDecimal,
  signOf,
  timesDecimals,
} from '../../lib/decimal.ts'
import { isFields, listOf, type Fields } from '../../lib/json.ts'
import type { CatalogRecord, PriceBasis, Pricing } from '../../catalog/model-record.ts'

/** One decimal each. The last five are ours, for records in the file. */
const KEYS = [
  'prompt',
  'completion',
  'request',
  'image',
  'image_token',
  'image_output',
  'audio',
  'audio_output',
  'input_cache_read',
  'input_audio_cache',
  'input_cache_write',
  'input_cache_write_30m',
  'input_cache_write_1h',
  'input_cache_write_12h',
  'internal_reasoning',
  'web_search',
  'audio_second',
  'audio_minute',
  'audio_hour',
  'character',
  'video_second',
] as const
type Key = (typeof KEYS)[number]

type PriceOverride = NonNullable<Pricing['overrides']>[number]
type Priced = Pick<CatalogRecord, 'pricing' | 'priceBasis' | 'priced'>
export type MediaLists = Pick<Pricing, 'video_skus' | 'image_skus'>

const UNPRICED: Priced = { pricing: {}, priceBasis: 'unknown', priced: 'unpriced' }
/** Twelve cents a minute: higher prices are per minute (0.016) or per hour (0.36). */
const MOST_PER_SECOND = '0.002'
/** 1.80 dollars an hour: more than most charge. */
const MOST_PER_MINUTE = '0.03'
/** 4.80 dollars an hour if it were per minute: more than any charge. */
const LEAST_PER_HOUR = '0.08'
const MOST_PER_CHARACTER = '0.001'

/** The meaning of a price depends on the model's output. */
export function readPricing(raw: unknown, outputs: readonly string[], lists: MediaLists): Priced {
  const pricing = readKeys(raw)
  if (!pricing) return UNPRICED
  if (outputs.includes('video')) return videoPricing(pricing, lists)
  if (outputs.includes('image') && !outputs.includes('text')) return imagePricing(pricing, lists)
  if (lists.image_skus) pricing.image_skus = lists.image_skus
  if (outputs.includes('transcription')) return transcriptionPricing(pricing)
  if (outputs.includes('speech')) return speechPricing(pricing)
  return tokenPricing(pricing, outputs)
}

/** Undefined when a price is negative ("varies") or invalid: then none of them is trusted. */
function readKeys(raw: unknown): Pricing | undefined {
  if (!isFields(raw)) return undefined
  const pricing: Pricing = {}
  for (const key of KEYS) {
    if (raw[key] === undefined || raw[key] === null) continue
    const price = plainDecimal(raw[key])
    if (price === undefined || signOf(price) < 0) return undefined
    pricing[key] = discounted(price, raw.discount)
  }
  const overrides = listOf(raw.overrides).flatMap(readOverride)
  if (overrides.length > 0) pricing.overrides = overrides
  return pricing
}

function discounted(price: string, discount: unknown): string {
  const fraction = plainDecimal(discount)
  if (fraction === undefined || signOf(fraction) <= 0 || compareDecimals(fraction, '1') >= 0) {
    return price
  }
  return timesDecimals(price, addDecimals('1', `-${fraction}`))
}

function readOverride(raw: unknown): PriceOverride[] {
  if (!isFields(raw)) return []
  const prices: Record<string, string> = {}
  for (const key of KEYS) {
    const price = plainDecimal(raw[key])
    if (price !== undefined && signOf(price) >= 0) prices[key] = price
  }
  if (Object.keys(prices).length === 0) return []
  return [{ ...conditions(raw), prices }]
}

function conditions(raw: Fields): Omit<PriceOverride, 'prices'> {
  const found: Omit<PriceOverride, 'prices'> = {}
  for (const name of ['min_prompt_tokens', 'utc_start', 'utc_end'] as const) {
    if (typeof raw[name] === 'number') found[name] = raw[name]
  }
  if (Array.isArray(raw.utc_days)) {
    found.utc_days = raw.utc_days.filter((day) => typeof day === 'number')
  }
  return found
}

function videoPricing(pricing: Pricing, lists: MediaLists): Priced {
  const kept = without(pricing, ['prompt', 'completion'])
  const skus = lists.video_skus ?? []
  const basis: PriceBasis = skus.some((sku) => sku.unit === 'second')
    ? 'video_second'
    : skus.some((sku) => sku.unit === 'token')
      ? 'video_token'
      : 'unknown'
  if (skus.some((sku) => signOf(sku.cost_usd) > 0)) {
    return { pricing: { ...kept, video_skus: skus }, priceBasis: basis, priced: 'paid' }
  }
  const known = kept.video_second ?? kept.request
  if (known === undefined || signOf(known) <= 0) return UNPRICED
  return { pricing: kept, priceBasis: 'video_second', priced: 'paid' }
}

function imagePricing(pricing: Pricing, lists: MediaLists): Priced {
  const skus = lists.image_skus ?? []
  const own = [pricing.image_output, pricing.request, pricing.completion, pricing.prompt]
  if (skus.some((sku) => signOf(sku.cost_usd) > 0)) {
    const unit = skus.find((sku) => sku.billable === 'output_image')?.unit
    const basis = unit === 'image' || unit === 'megapixel' || unit === 'token' ? unit : 'unknown'
    const kept = positive(own) ? pricing : without(pricing, ['prompt', 'completion'])
    return { pricing: { ...kept, image_skus: skus }, priceBasis: basis, priced: 'paid' }
  }
  if (!positive(own)) return UNPRICED
  return { pricing, priceBasis: pricing.request ? 'image' : 'token', priced: 'paid' }
}

/**
 * Without an output price the input price is per second or an unnamed unit. Minute or hour are then
 * guessed from its size, for the hold and for calls without a reported cost; the basis stays
 * unknown, so that reported costs are not compared with it.
 */
function transcriptionPricing(pricing: Pricing): Priced {
  if (pricing.audio_second !== undefined) return paid(pricing, 'second')
  if (pricing.audio_minute !== undefined) return paid(pricing, 'minute')
  if (pricing.audio_hour !== undefined) return paid(pricing, 'hour')
  if (positive([pricing.completion])) return paid(pricing, 'token')
  const { prompt } = pricing
  if (prompt === undefined || signOf(prompt) === 0) return UNPRICED
  const kept = without(pricing, ['prompt', 'completion'])
  if (compareDecimals(prompt, MOST_PER_SECOND) <= 0) {
    return paid({ ...kept, audio_second: prompt }, 'second')
  }
  if (compareDecimals(prompt, MOST_PER_MINUTE) <= 0) {
    return paid({ ...kept, audio_minute: prompt }, 'unknown')
  }
  const hourly = compareDecimals(prompt, LEAST_PER_HOUR) >= 0 ? { audio_hour: prompt } : {}
  return paid({ ...kept, ...hourly }, 'unknown')
}

function speechPricing(pricing: Pricing): Priced {
  if (pricing.character !== undefined) return paid(pricing, 'character')
  const { prompt = '0', completion = '0' } = pricing
  if (signOf(prompt) === 0 && signOf(completion) === 0) return UNPRICED
  if (signOf(prompt) > 0 && signOf(completion) > 0) return paid(pricing, 'token')
  const kept = without(pricing, ['prompt', 'completion'])
  return signOf(prompt) > 0 && compareDecimals(prompt, MOST_PER_CHARACTER) <= 0
    ? paid({ ...kept, character: prompt }, 'character')
    : paid(kept, 'unknown')
}

/** Only text and vectors can be free: other zeros mean an unknown price. */
function tokenPricing(pricing: Pricing, outputs: readonly string[]): Priced {
  if (pricing.prompt === undefined && pricing.completion === undefined) return UNPRICED
  if (positive(KEYS.map((key: Key) => pricing[key]))) return paid(pricing, 'token')
  const canBeFree = outputs.every((kind) => kind === 'text' || kind === 'embeddings')
  return canBeFree ? { pricing, priceBasis: 'token', priced: 'free' } : UNPRICED
}

function paid(pricing: Pricing, priceBasis: PriceBasis): Priced {
  return { pricing, priceBasis, priced: 'paid' }
}

function positive(prices: readonly (string | undefined)[]): boolean {
  return prices.some((price) => price !== undefined && signOf(price) > 0)
}

function without(pricing: Pricing, keys: readonly Key[]): Pricing {
  const kept = { ...pricing }
  for (const key of keys) delete kept[key]
  return kept
}
