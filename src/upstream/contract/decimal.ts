import {
  compare,
  decimal,
  decimalText as textOf,
  parseDecimal,
  plus,
  times,
} from '../../lib/decimal.ts'

/** Decimals as records keep them: plain texts, so that nothing is lost on the way to the catalog. */

/** A JSON number or a numeric text as a plain decimal (`1e-7` → `0.0000001`), else undefined. */
export function decimalText(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return undefined
  const parsed = parseDecimal(text.trim())
  return parsed && textOf(parsed)
}

/** -1, 0 or 1. */
export function signOf(text: string): number {
  return compareDecimals(text, '0')
}

export function addDecimals(a: string, b: string): string {
  return textOf(plus(decimal(a), decimal(b)))
}

export function timesDecimals(a: string, b: string): string {
  return textOf(times(decimal(a), decimal(b)))
}

export function compareDecimals(a: string, b: string): number {
  return compare(decimal(a), decimal(b))
}

export function largestDecimal(values: readonly string[]): string | undefined {
  return values.reduce<string | undefined>(
    (best, value) => (best === undefined || compareDecimals(value, best) > 0 ? value : best),
    undefined,
  )
}
