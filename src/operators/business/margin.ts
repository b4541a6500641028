import { decimalText, plus, times, type Decimal } from '../../lib/decimal.ts'
import type { CostSum } from './overview-store.ts'

/** What turns credits and dollars into shillings. */
export type Conversion = {
  creditsPerTzs: Decimal
  /** Shillings for a dollar on a day. */
  rateOn(day: string): Decimal
}

/** The figures of some calls. `refundedMicro` and `feesTzs` are what else belongs to them. */
export type Figures = {
  requests: bigint
  failed: bigint
  usedMicro: bigint
  /** Paid with credits that nobody had bought: these earn nothing. */
  giftMicro: bigint
  refundedMicro: bigint
  uncollectedMicro: bigint
  waivedMicro: bigint
  upstreamNusd: bigint
  /** The part of it that no upstream has reported. */
  notReportedNusd: bigint
  earnedTzs: Decimal
  upstreamTzs: Decimal
  marginTzs: Decimal
}

/** What was earned with bought credits, less what it cost us at the upstreams and the providers. */
export function figuresOf(
  costs: CostSum[],
  conversion: Conversion,
  beside: { refundedMicro: bigint; feesTzs: bigint },
): Figures {
  const sum = (pick: (one: CostSum) => bigint) =>
    costs.reduce((total, one) => total + pick(one), 0n)
  const usedMicro = sum((one) => one.costMicro)
  const giftMicro = sum((one) => one.giftMicro)
  const earnedMicro = usedMicro - giftMicro - beside.refundedMicro
  const earnedTzs = tzsOf(earnedMicro, conversion.creditsPerTzs)
  const upstreamTzs = tzsOfDollars(costs, conversion)
  const fees = { units: beside.feesTzs, scale: 0 }
  return {
    requests: sum((one) => one.requests),
    failed: sum((one) => one.failed),
    usedMicro,
    giftMicro,
    refundedMicro: beside.refundedMicro,
    uncollectedMicro: sum((one) => one.uncollectedMicro),
    waivedMicro: sum((one) => one.waivedMicro),
    upstreamNusd: sum(upstreamNusd),
    notReportedNusd: sum((one) => one.listedNusd + one.estimatedNusd),
    earnedTzs,
    upstreamTzs,
    marginTzs: plus(earnedTzs, negative(upstreamTzs), negative(fees)),
  }
}

const NOTHING: Decimal = { units: 0n, scale: 0 }

/** Each day at its own rate, exactly. */
function tzsOfDollars(costs: CostSum[], { rateOn }: Conversion): Decimal {
  const nusd = new Map<string, bigint>()
  for (const one of costs) nusd.set(one.day, (nusd.get(one.day) ?? 0n) + upstreamNusd(one))
  const ofDays = [...nusd].map(([day, units]) => times({ units, scale: 9 }, rateOn(day)))
  return plus(NOTHING, ...ofDays)
}

function upstreamNusd({ reportedNusd, listedNusd, estimatedNusd }: CostSum): bigint {
  return reportedNusd + listedNusd + estimatedNusd
}

function negative({ units, scale }: Decimal): Decimal {
  return { units: -units, scale }
}

/** To the millionth of a shilling, which is exact while a credit is a shilling. */
function tzsOf(micro: bigint, creditsPerTzs: Decimal): Decimal {
  const { units, scale } = creditsPerTzs
  return { units: nearest(micro * 10n ** BigInt(scale), units), scale: 6 }
}

function nearest(dividend: bigint, divisor: bigint): bigint {
  const [size, sign] = dividend < 0n ? [-dividend, -1n] : [dividend, 1n]
  return sign * ((size * 2n + divisor) / (divisor * 2n))
}

/** The nearest JSON numbers, to the millionth of a shilling and to the nano-dollar. */
export function tzsNumber(tzs: Decimal): number {
  const { units, scale } = tzs
  const micro =
    scale <= 6 ? units * 10n ** BigInt(6 - scale) : nearest(units, 10n ** BigInt(scale - 6))
  return Number(decimalText({ units: micro, scale: 6 }))
}

export function usdNumber(nusd: bigint): number {
  return Number(decimalText({ units: nusd, scale: 9 }))
}

/** From 0 to 1: which part of the cost no upstream has reported. */
export function notReportedShare({ upstreamNusd: all, notReportedNusd: part }: Figures): number {
  return all === 0n ? 0 : Number(nearest(part * 10_000n, all)) / 10_000
}
