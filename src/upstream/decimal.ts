/** A plain decimal text, exactly: `digits` × 10^-`scale`. */
type Decimal = { digits: bigint; scale: number }

const PLAIN = /^([+-]?)(\d{1,40})(?:\.(\d{0,40}))?(?:[eE]([+-]?\d{1,3}))?$/
const LARGEST_SCALE = 60

/** A JSON number or a numeric text as a plain decimal (`1e-7` → `0.0000001`), else undefined. */
export function decimalText(value: unknown): string | undefined {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return undefined
  const decimal = parse(text.trim())
  return decimal && format(decimal)
}

/** -1, 0 or 1. */
export function signOf(text: string): number {
  const { digits } = must(text)
  return digits < 0n ? -1 : digits > 0n ? 1 : 0
}

export function addDecimals(a: string, b: string): string {
  const [x, y] = aligned(must(a), must(b))
  return format({ digits: x.digits + y.digits, scale: x.scale })
}

export function timesDecimals(a: string, b: string): string {
  const [x, y] = [must(a), must(b)]
  return format({ digits: x.digits * y.digits, scale: x.scale + y.scale })
}

export function compareDecimals(a: string, b: string): number {
  const [x, y] = aligned(must(a), must(b))
  return x.digits < y.digits ? -1 : x.digits > y.digits ? 1 : 0
}

export function largestDecimal(values: readonly string[]): string | undefined {
  return values.reduce<string | undefined>(
    (best, value) => (best === undefined || compareDecimals(value, best) > 0 ? value : best),
    undefined,
  )
}

function parse(text: string): Decimal | undefined {
  const match = PLAIN.exec(text)
  if (!match) return undefined
  const [, sign, whole = '0', fraction = '', exponent = '0'] = match
  const digits = BigInt(whole + fraction) * (sign === '-' ? -1n : 1n)
  const scale = fraction.length - Number(exponent)
  if (scale > LARGEST_SCALE || scale < -LARGEST_SCALE) return undefined
  return scale < 0 ? { digits: digits * 10n ** BigInt(-scale), scale: 0 } : { digits, scale }
}

function must(text: string): Decimal {
  const decimal = parse(text)
  if (!decimal) throw new TypeError('not a decimal')
  return decimal
}

function aligned(a: Decimal, b: Decimal): [Decimal, Decimal] {
  const scale = Math.max(a.scale, b.scale)
  const lift = (d: Decimal) => ({ digits: d.digits * 10n ** BigInt(scale - d.scale), scale })
  return [lift(a), lift(b)]
}

function format({ digits, scale }: Decimal): string {
  const sign = digits < 0n ? '-' : ''
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0')
  if (scale === 0) return sign + text
  const fraction = text.slice(-scale).replace(/0+$/, '')
  return sign + text.slice(0, -scale) + (fraction === '' ? '' : `.${fraction}`)
}
