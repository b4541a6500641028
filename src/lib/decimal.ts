/** An exact decimal: `units` × 10^-`scale`. Prices are multiplied and added without any rounding. */
export type Decimal = { readonly units: bigint; readonly scale: number }

const FORM = /^(-?)(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/

/** Reads '0.00000015', '1.5e-7', '3000'. Anything else, also NaN and Infinity, is undefined. */
export function parseDecimal(text: string): Decimal | undefined {
  const parts = FORM.exec(text)
  if (!parts) return undefined
  const [, sign, whole, fraction = '', exponent = '0'] = parts
  const digits = BigInt(`${whole}${fraction}`)
  const scale = fraction.length - Number(exponent)
  const units = sign === '-' ? -digits : digits
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 }
}

/** For settings and constants, which must be decimals. */
export function decimal(value: string | number | bigint): Decimal {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) {
    return { units: BigInt(value), scale: 0 }
  }
  const parsed = parseDecimal(String(value))
  if (parsed === undefined) throw new Error('Not a decimal number.')
  return parsed
}

export function times({ units, scale }: Decimal, ...factors: Decimal[]): Decimal {
  for (const factor of factors) {
    units *= factor.units
    scale += factor.scale
  }
  return { units, scale }
}

export function plus(...terms: Decimal[]): Decimal {
  let scale = 0
  for (const term of terms) if (term.scale > scale) scale = term.scale
  let units = 0n
  for (const term of terms) if (term.units !== 0n) units += atScale(term, scale)
  return { units, scale }
}

/** Negative, zero or positive, as `a` is less than, equal to or more than `b`. */
export function compare(a: Decimal, b: Decimal): number {
  const difference = plus(a, { units: -b.units, scale: b.scale }).units
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

/** The smallest whole number of 10^-`places` that is not less than the value. */
export function ceilTo(value: Decimal, places: number): bigint {
  if (value.scale <= places) return atScale(value, places)
  const divisor = powerOfTen(value.scale - places)
  const quotient = value.units / divisor
  return value.units > 0n && value.units % divisor !== 0n ? quotient + 1n : quotient
}

/** Plain digits without trailing zeros, such as '0.00000015'. */
export function decimalText({ units, scale }: Decimal): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = withoutZeros(digits.slice(digits.length - scale))
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

function withoutZeros(fraction: string): string {
  let end = fraction.length
  while (end > 0 && fraction[end - 1] === '0') end--
  return fraction.slice(0, end)
}

function atScale(value: Decimal, scale: number): bigint {
  return value.scale === scale ? value.units : value.units * powerOfTen(scale - value.scale)
}

const powers: bigint[] = Array.from({ length: 64 }, (_, exponent) => 10n ** BigInt(exponent))

function powerOfTen(exponent: number): bigint {
  return powers[exponent] ?? 10n ** BigInt(exponent)
}

/*
 * Decimals as texts, the way model records keep them: nothing is lost between a price list and the
 * catalog.
 */

/**
 * A JSON number or a numeric text as a plain decimal (`1e-7` → `0.0000001`), else undefined; also for
 * one with so many places that it could not be read again.
 */
export function plainDecimal(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return undefined
  const parsed = parseDecimal(text.trim())
  const plain = parsed && decimalText(parsed)
  return plain !== undefined && FORM.test(plain) ? plain : undefined
}

/** -1, 0 or 1. */
export function signOf(text: string): number {
  return compareDecimals(text, '0')
}

export function addDecimals(a: string, b: string): string {
  return decimalText(plus(decimal(a), decimal(b)))
}

export function timesDecimals(a: string, b: string): string {
  return decimalText(times(decimal(a), decimal(b)))
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
