import { canonicalJson } from '../lib/canonical-json.ts'
import { compare, decimalText, parseDecimal, times, type Decimal } from '../lib/decimal.ts'
import type { ListedPrice, Pricing } from './model-record.ts'

export type Leap = 'vanished' | 'moved'

/** Prices of the work itself: when one that was free begins to cost, that is a leap too. */
const MAIN = new Set([
  'prompt',
  'completion',
  'request',
  'audio_second',
  'character',
  'video_second',
])
const ZERO: Decimal = { units: 0n, scale: 0 }

/**
 * A price that vanishes, or moves by more than `guard` times up or down, is more likely a mistake
 * than a price. A first price is not a leap: there is nothing to compare it with.
 */
export function leapBetween(old: ListedPrice, next: ListedPrice, guard: Decimal): Leap | undefined {
  if (old.priced === 'unpriced') return undefined
  if (next.priced === 'unpriced') return 'vanished'
  if (old.priced === 'paid' && next.priced === 'free') return 'vanished'
  if (old.priced === 'free' && next.priced === 'paid') return 'moved'
  if (old.priceBasis !== next.priceBasis) return 'moved'
  const before = flat(old.pricing)
  const after = flat(next.pricing)
  for (const [name, price] of before) {
    if (isPositive(price) && !isPositive(after.get(name))) return 'vanished'
  }
  for (const [name, price] of after) {
    if (isLeap(before.get(name), price, guard) && matters(name, before)) return 'moved'
  }
  return undefined
}

export function samePrice(a: ListedPrice, b: ListedPrice): boolean {
  if (a.priced !== b.priced || a.priceBasis !== b.priceBasis) return false
  return canonicalJson(a.pricing) === canonicalJson(b.pricing)
}

/** One price of the list, before and after, in US dollars; undefined where there is none. */
export type PriceStep = { name: string; old: Decimal | undefined; next: Decimal | undefined }

/** Every price of both lists side by side, also those that stayed. */
export function besideEachOther(old: Pricing, next: Pricing): PriceStep[] {
  const before = flat(old)
  const after = flat(next)
  const names = [...new Set([...before.keys(), ...after.keys()])]
  return names.map((name) => ({ name, old: before.get(name), next: after.get(name) }))
}

/** What changed, a line for each price, for the operator. */
export function describeMove(old: ListedPrice, next: ListedPrice): string[] {
  const text = (price: Decimal | undefined) => (price ? decimalText(price) : 'none')
  const lines = besideEachOther(old.pricing, next.pricing).flatMap((step) => {
    const [from, to] = [text(step.old), text(step.next)]
    return from === to ? [] : [`${step.name}: ${from} → ${to} USD`]
  })
  if (old.priced !== next.priced) lines.unshift(`${old.priced} → ${next.priced}`)
  if (old.priceBasis !== next.priceBasis) lines.unshift(`${old.priceBasis} → ${next.priceBasis}`)
  return lines
}

function matters(name: string, before: Map<string, Decimal>): boolean {
  return MAIN.has(name) || isPositive(before.get(name))
}

function isLeap(old: Decimal | undefined, next: Decimal, guard: Decimal): boolean {
  if (!isPositive(old)) return isPositive(next)
  return compare(next, times(old, guard)) > 0 || compare(old, times(next, guard)) > 0
}

function isPositive(price: Decimal | undefined): price is Decimal {
  return price !== undefined && compare(price, ZERO) > 0
}

/** Every price of the list under a name of its own. */
function flat(pricing: Pricing): Map<string, Decimal> {
  const { overrides = [], video_skus: videos = [], image_skus: images = [], ...single } = pricing
  const entries = Object.entries(single)
  for (const { prices, ...when } of overrides) {
    for (const [key, price] of Object.entries(prices)) {
      entries.push([`${canonicalJson(when)} ${key}`, price])
    }
  }
  for (const sku of videos) entries.push([`video ${sku.sku}`, sku.cost_usd])
  for (const { cost_usd: price, ...sku } of images)
    entries.push([`image ${canonicalJson(sku)}`, price])
  return new Map(entries.map(([name, price]) => [name, parseDecimal(price) ?? ZERO]))
}
