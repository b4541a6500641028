import { ceilTo, decimal, decimalText, type Decimal } from '../lib/decimal.ts'

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

export function lesser(aMicro: bigint, bMicro: bigint): bigint {
  return aMicro < bMicro ? aMicro : bMicro
}
