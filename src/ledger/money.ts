import {
  ceilTo,
  decimal,
  decimalText,
  largestDecimal,
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
  /** Per token of an image that goes in. */
  image_token?: string
  /** Per token of an image that comes out, whatever the documents say. */
  image_output?: string
  audio?: string
  audio_output?: string
  input_cache_read?: string
  input_audio_cache?: string
  input_cache_write?: string
  input_cache_write_30m?: string
  input_cache_write_1h?: string
  input_cache_write_12h?: string
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
  /** Where several prompts were read, the longest: it decides which prices are in force. */
  longestPromptTokens?: number | undefined
  cachedTokens?: number | undefined
  /** Sound among the cached ones. */
  cachedAudioTokens?: number | undefined
  cacheWriteTokens?: number | undefined
  /** Those of the written ones that are kept for longer. */
  cacheWrite30mTokens?: number | undefined
  cacheWrite1hTokens?: number | undefined
  cacheWrite12hTokens?: number | undefined
  audioTokens?: number | undefined
  /** Tokens of pictures in the prompt. */
  imageTokens?: number | undefined
  reasoningTokens?: number | undefined
  audioOutputTokens?: number | undefined
  imageOutputTokens?: number | undefined
  /** By names without a price: parts of the two totals, tokens beside them, anything else. */
  unknownPromptTokens?: number | undefined
  unknownCompletionTokens?: number | undefined
  unknownTokens?: number | undefined
  unknownUnits?: number | undefined
  /** Pictures in the prompt. */
  images?: number | undefined
}

/** What turns dollars into credits. */
export type Rate = { creditsPerUsd: Decimal; margin: Decimal }

/** `unitsUsd` is for what was counted by a name that nobody knows, and is no token. */
export type Cost = { promptUsd: Decimal; answerUsd: Decimal; unitsUsd: Decimal }

const ZERO: Decimal = { units: 0n, scale: 0 }

/** What the tokens of a call cost, the prompt's part and the answer's part apart. */
export function tokenCost(list: PriceList, use: TokenUse, at: Date): Cost {
  const price = pricesInForce(list, use.longestPromptTokens ?? use.promptTokens, at)
  const { unknownUnits = 0 } = use
  return {
    promptUsd: promptPart(price, use),
    answerUsd: answerPart(price, use),
    unitsUsd: unknownUnits === 0 ? ZERO : each(dearest(price, UNIT_PRICES), unknownUnits),
  }
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
  const cached = within(use.cachedTokens, use.promptTokens)
  const written = within(use.cacheWriteTokens, use.promptTokens - cached)
  const sound = within(use.cachedAudioTokens, cached)
  return plus(
    each(price('request'), 1),
    each(price('image'), use.images ?? 0),
    split(price, cached, [['input_audio_cache', sound]], 'input_cache_read'),
    split(
      price,
      written,
      [
        ['input_cache_write_12h', use.cacheWrite12hTokens],
        ['input_cache_write_1h', use.cacheWrite1hTokens],
        ['input_cache_write_30m', use.cacheWrite30mTokens],
      ],
      'input_cache_write',
    ),
    split(
      price,
      use.promptTokens - cached - written,
      [
        [DEAREST, use.unknownPromptTokens],
        ['audio', (use.audioTokens ?? 0) - sound],
        ['image_token', use.imageTokens],
      ],
      'prompt',
    ),
  )
}

function answerPart(price: PriceOf, use: TokenUse): Decimal {
  const { unknownTokens = 0 } = use
  const parts: Part[] = [
    [DEAREST, use.unknownCompletionTokens],
    ['image_output', use.imageOutputTokens],
    ['audio_output', use.audioOutputTokens],
    ['internal_reasoning', use.reasoningTokens],
  ]
  const answer = split(price, use.completionTokens, parts, 'completion')
  return unknownTokens === 0 ? answer : plus(answer, each(price(DEAREST), unknownTokens))
}

type Part = [key: string, count: number | undefined]

/** The parts of a whole, each at its price, and what is left of it at its own. */
function split(price: PriceOf, whole: number, parts: readonly Part[], rest: string): Decimal {
  let left = whole
  const costs: Decimal[] = []
  for (const [key, wanted] of parts) {
    const count = within(wanted, left)
    if (count === 0) continue
    left -= count
    costs.push(each(price(key), count))
  }
  return plus(...costs, each(price(rest), left))
}

/** The price of a class without one of its own. */
const WITHOUT_OWN: Record<string, string> = {
  input_cache_read: 'prompt',
  input_audio_cache: 'audio',
  input_cache_write: 'prompt',
  input_cache_write_30m: 'input_cache_write',
  input_cache_write_1h: 'input_cache_write',
  input_cache_write_12h: 'input_cache_write_1h',
  image_token: 'prompt',
  audio: 'prompt',
  audio_output: 'completion',
  image_output: 'completion',
  internal_reasoning: 'completion',
}

/** The highest price that a token of any class has. */
const DEAREST = 'dearest'
const TOKEN_PRICES = ['prompt', 'completion', ...Object.keys(WITHOUT_OWN)]
const UNIT_PRICES = [...TOKEN_PRICES, 'request', 'image', 'character', 'web_search']

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
    if (key === DEAREST) return dearest(price, TOKEN_PRICES)
    for (const prices of lists) {
      const own = ownPrice(prices, key)
      if (own !== undefined) return own
    }
    const other = WITHOUT_OWN[key]
    return other === undefined ? undefined : price(other)
  }
  return price
}

function dearest(price: PriceOf, keys: readonly string[]): string | undefined {
  return largestDecimal(keys.flatMap((key) => price(key) ?? []))
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
