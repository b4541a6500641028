import {
  ceilTo,
  decimal,
  decimalText,
  parseDecimal,
  plus,
  times,
  type Decimal,
} from '../lib/decimal.ts'
import type { UpstreamCost } from './upstream-cost.ts'

/** One credit in microcredits, the only unit money is kept in. */
export const MICRO = 1_000_000n

const PLACES = 6

/** Reads '0.01' exactly. More than six places would be a fraction of a microcredit: an error. */
export function parseCredits(text: string): bigint {
  const value = decimal(text)
  const micro = ceilTo(value, PLACES)
  if (micro * 10n ** BigInt(value.scale) !== value.units * MICRO) {
    throw new Error('Credits have at most six decimal places.')
  }
  return micro
}

/** A cost in credits becomes money here, rounded up to the microcredit: once, at the charge. */
export function ceilMicro(credits: Decimal): bigint {
  return ceilTo(credits, PLACES)
}

/** Microcredits as an exact decimal of credits. */
export function creditsDecimal(micro: bigint): Decimal {
  return { units: micro, scale: PLACES }
}

/** The nearest JSON number: only for what goes over the wire, never to calculate with. */
export function creditsNumber(micro: bigint): number {
  return Number(creditsText(micro))
}

/** Exact digits for people: '12.5'. */
export function creditsText(micro: bigint): string {
  return decimalText(creditsDecimal(micro))
}

/** The smaller of two amounts. */
export function lesser(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

export function greater(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** Exact decimals, in US dollars per unit. A key that is missing costs nothing of its own. */
export type PriceList = {
  prompt?: string
  completion?: string
  request?: string
  /** Per input image. */
  image?: string
  /** Per token of an image that comes out, whatever the documents say. */
  image_output?: string
  audio?: string
  audio_output?: string
  input_cache_read?: string
  input_cache_write?: string
  input_cache_write_1h?: string
  internal_reasoning?: string
  /** Long-context and time-of-day prices; a later match wins for each key it names. */
  overrides?: PriceOverride[]
}

type PriceOverride = {
  /** In force when the prompt has more tokens than this. */
  min_prompt_tokens?: number
  /** HHMM, half-open; may wrap midnight. */
  utc_start?: number
  utc_end?: number
  utc_days?: number[]
  prices: Record<string, string>
}

/** The classes are parts of the two totals. */
export type TokenUse = {
  promptTokens: number
  completionTokens: number
  cachedTokens?: number | undefined
  cacheWriteTokens?: number | undefined
  /** Those of the written ones that are kept for an hour. */
  cacheWrite1hTokens?: number | undefined
  audioTokens?: number | undefined
  reasoningTokens?: number | undefined
  audioOutputTokens?: number | undefined
  imageOutputTokens?: number | undefined
  /** Pictures in the prompt. */
  images?: number | undefined
}

/** What turns dollars into credits. */
export type Rate = { creditsPerUsd: Decimal; margin: Decimal }

export type Cost = { promptUsd: Decimal; answerUsd: Decimal }

const ZERO: Decimal = { units: 0n, scale: 0 }

/** What the tokens of a call cost, the prompt's part and the answer's part apart. */
export function tokenCost(list: PriceList, use: TokenUse, at: Date): Cost {
  const price = pricesInForce(list, use.promptTokens, at)
  return { promptUsd: promptPart(price, use), answerUsd: answerPart(price, use) }
}

/** The prompt's part alone. */
export function promptCost(list: PriceList, use: TokenUse, at: Date): Decimal {
  return promptPart(pricesInForce(list, use.promptTokens, at), use)
}

/*
 * Upstreams have reported more reasoning than completion tokens: together the classes are never more
 * than the total, and nothing is negative.
 */

function promptPart(price: PriceOf, use: TokenUse): Decimal {
  const total = use.promptTokens
  const cached = within(use.cachedTokens, total)
  const written = within(use.cacheWriteTokens, total - cached)
  const hour = within(use.cacheWrite1hTokens, written)
  const audio = within(use.audioTokens, total - cached - written)
  return plus(
    each(price('request'), 1),
    each(price('image'), use.images ?? 0),
    each(price('prompt'), total - cached - written - audio),
    each(price('input_cache_read'), cached),
    each(price('input_cache_write'), written - hour),
    each(price('input_cache_write_1h'), hour),
    each(price('audio'), audio),
  )
}

function answerPart(price: PriceOf, use: TokenUse): Decimal {
  const total = use.completionTokens
  const image = within(use.imageOutputTokens, total)
  const audio = within(use.audioOutputTokens, total - image)
  const reasoned = within(use.reasoningTokens, total - image - audio)
  return plus(
    each(price('completion'), total - image - audio - reasoned),
    each(price('image_output'), image),
    each(price('audio_output'), audio),
    each(price('internal_reasoning'), reasoned),
  )
}

/** The price of a class without one of its own. */
const WITHOUT_OWN: Record<string, string> = {
  input_cache_read: 'prompt',
  input_cache_write: 'prompt',
  input_cache_write_1h: 'input_cache_write',
  audio: 'prompt',
  audio_output: 'completion',
  image_output: 'completion',
  internal_reasoning: 'completion',
}

/**
 * A price that a list names, for the price list and for the charge. Listings write zero where a class
 * has no price of its own: that is no gift.
 */
export function ownPrice(
  prices: Readonly<Record<string, string | undefined>>,
  key: string,
): string | undefined {
  const price = prices[key]
  const none =
    price === undefined || (Object.hasOwn(WITHOUT_OWN, key) && priceOf(price).units === 0n)
  return none ? undefined : price
}

/** What the customer pays for so many dollars of the operator's. */
export function inCredits(usd: Decimal, rate: Rate): Decimal {
  return times(usd, rate.creditsPerUsd, rate.margin)
}

/** Dollars to microcredits, rounded up once. `usd` is a sum of `parts` prices: 60 for one by the minute. */
export function toMicro(usd: Decimal, rate: Rate, parts = 1n): bigint {
  const micro = inCredits(usd, rate)
  if (parts === 1n) return ceilMicro(micro)
  const [whole, part] = [micro.units * MICRO, parts * 10n ** BigInt(micro.scale)]
  return whole / part + (whole % part > 0n ? 1n : 0n)
}

const NANO_PLACES = 9

/** Dollars in nano-dollars, rounded up. */
export function nanoUsd(usd: Decimal): bigint {
  return ceilTo(usd, NANO_PLACES)
}

export function reportedUpstreamCost(usd: string): UpstreamCost {
  return { nusd: nanoUsd(decimal(usd)), basis: 'reported' }
}

/** The other way: a price in nano-dollars, without our margin. To the nearest. */
export function nusdOfPrice(priceMicro: bigint, { creditsPerUsd, margin }: Rate): bigint {
  const { units, scale } = times(creditsPerUsd, margin)
  if (units === 0n) return 0n
  return (priceMicro * 1_000n * 10n ** BigInt(scale) * 2n + units) / (units * 2n)
}

/** A price times a count. A price nobody could read, or below zero, is no price. */
export function each(price: string | undefined, count: number): Decimal {
  if (price === undefined || count === 0) return ZERO
  const parsed = priceOf(price)
  return parsed.units === 0n ? ZERO : times(parsed, decimal(count))
}

const known = new Map<string, Decimal>()
const MOST_KNOWN = 10_000

/** A catalog has a few thousand prices, and every call needs some of them twice. */
function priceOf(text: string): Decimal {
  const seen = known.get(text)
  if (seen !== undefined) return seen
  const parsed = parseDecimal(text)
  const price = parsed === undefined || parsed.units < 0n ? ZERO : parsed
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(text, price)
  return price
}

type PriceOf = (key: string) => string | undefined

function pricesInForce(list: PriceList, promptTokens: number, at: Date): PriceOf {
  const lists = [list as Record<string, string | undefined>]
  for (const one of list.overrides ?? []) {
    if (applies(one, promptTokens, at)) lists.unshift(one.prices)
  }
  const price: PriceOf = (key) => {
    for (const prices of lists) {
      const own = ownPrice(prices, key)
      if (own !== undefined) return own
    }
    const other = WITHOUT_OWN[key]
    return other === undefined ? undefined : price(other)
  }
  return price
}

function applies(override: PriceOverride, promptTokens: number, at: Date): boolean {
  const { min_prompt_tokens: floor, utc_start: start, utc_end: end, utc_days: days } = override
  if (floor !== undefined && promptTokens <= floor) return false
  if (days !== undefined && !days.includes(at.getUTCDay())) return false
  if (start === undefined || end === undefined) return true
  const now = at.getUTCHours() * 100 + at.getUTCMinutes()
  return start <= end ? start <= now && now < end : now >= start || now < end
}

function within(count: number | undefined, most: number): number {
  return Math.max(0, Math.min(count ?? 0, most))
}
