import type { PricedModel } from '../../catalog/catalog.ts'
import { ownPrice } from '../../ledger/money.ts'
import { compare, decimal, parseDecimal, times, type Decimal } from '../../lib/decimal.ts'

export type LimitedPrice = 'prompt' | 'completion' | 'request' | 'image'

/** What a customer pays for one of them at most, in dollars: at any hour, for a prompt of any length. */
export function dearestPrice({ prices, margin }: PricedModel, name: LimitedPrice): Decimal {
  const { overrides = [], ...list } = prices
  const lists = [list as Record<string, string | undefined>, ...overrides.map((one) => one.prices)]
  const known = lists.flatMap((one) => parseDecimal(ownPrice(one, name) ?? '') ?? [])
  return times(known.reduce(dearer, decimal(0)), margin)
}

function dearer(a: Decimal, b: Decimal): Decimal {
  return compare(a, b) < 0 ? b : a
}
