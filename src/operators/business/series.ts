import { creditsNumber } from '../../ledger/money.ts'
import { dayAfter } from '../../lib/days.ts'
import { invalidField } from '../../lib/failure.ts'
import { tzsNumber, usdNumber, type Figures, type Conversion } from './margin.ts'
import type { Overview } from './overview.ts'
import {
  parted,
  partFigures,
  receivedOf,
  type TradePart,
  type Received,
} from './overview-figures.ts'
import type { DayPeriod } from './overview-store.ts'

type Values = Figures & Received

const OF_CALLS = ['model', 'upstream', 'kind'] as const

/** What can be drawn over the days, and by what else each may be divided. */
const METRICS = {
  received_tzs: { by: ['network'], value: ({ amountTzs }: Values) => Number(amountTzs) },
  payments: { by: ['network'], value: ({ count }: Values) => count },
  fees_tzs: { by: ['network'], value: ({ feesTzs }: Values) => Number(feesTzs) },
  requests: { by: OF_CALLS, value: (one: Values) => Number(one.requests) },
  failed_requests: {
    by: OF_CALLS,
    value: (one: Values) => Number(one.failed),
  },
  used_credits: { by: OF_CALLS, value: credits('usedMicro') },
  gift_credits: { by: OF_CALLS, value: credits('giftMicro') },
  uncollected_credits: { by: OF_CALLS, value: credits('uncollectedMicro') },
  waived_credits: { by: OF_CALLS, value: credits('waivedMicro') },
  refunded_credits: { by: ['model'], value: credits('refundedMicro') },
  upstream_usd: {
    by: OF_CALLS,
    value: (one: Values) => usdNumber(one.upstreamNusd),
  },
  upstream_tzs: {
    by: OF_CALLS,
    value: (one: Values) => tzsNumber(one.upstreamTzs),
  },
  earned_tzs: { by: ['model'], value: (one: Values) => tzsNumber(one.earnedTzs) },
  margin_tzs: { by: ['model'], value: (one: Values) => tzsNumber(one.marginTzs) },
} as const satisfies Record<string, { by: readonly Division[]; value(values: Values): number }>

export type Metric = keyof typeof METRICS
export const METRIC_NAMES = Object.keys(METRICS) as [Metric, ...Metric[]]

export const DIVISIONS = ['model', 'upstream', 'kind', 'network'] as const
export type Division = (typeof DIVISIONS)[number]

function credits(
  name: 'usedMicro' | 'giftMicro' | 'uncollectedMicro' | 'waivedMicro' | 'refundedMicro',
) {
  return (values: Values) => creditsNumber(values[name])
}

/** For each name one value a day, in the order of the days. */
export type Series = { days: string[]; series: { name: string; values: number[] }[] }

/** More lines could not be told apart; the rest becomes one. */
const MOST_LINES = 12
const OTHERS = 'others'

/** One measure, day by day, as one line or divided. */
export function seriesOf(
  overview: Overview,
  period: DayPeriod,
  conversion: Conversion,
  wanted: { metric: Metric; by?: Division | undefined },
): Series {
  const { metric, by } = wanted
  const { by: possible, value } = METRICS[metric]
  if (by !== undefined && !(possible as readonly Division[]).includes(by)) {
    throw invalidField('by', `must be left out or one of: ${possible.join(', ')}`)
  }
  const { costs, refunds, received } = overview
  const days = daysOf(period)
  const valuesOf = (part: TradePart, fees: boolean) => {
    const ofDay = parted(part, ({ day }) => day)
    return days.map((day) => value(figures(ofDay.get(day) ?? NONE, conversion, fees)))
  }
  if (by === undefined) {
    return { days, series: [{ name: 'all', values: valuesOf({ costs, refunds, received }, true) }] }
  }
  const name = (row: object) => (row as Record<Division, string | null>)[by] || 'unknown'
  const ofMoney = by === 'network'
  const whole = {
    costs: ofMoney ? [] : costs,
    refunds: by === 'model' ? refunds : [],
    received: ofMoney ? received : [],
  }
  const lines = [...parted(whole, name)].map(([key, part]) => ({ key, part }))
  const size = ({ part }: { part: TradePart }) => Math.abs(value(figures(part, conversion, false)))
  const largest = lines.toSorted((a, b) => size(b) - size(a))
  const shown = largest.slice(0, MOST_LINES)
  const rest = largest.slice(MOST_LINES).map(({ part }) => part)
  const series = shown.map(({ key, part }) => ({ name: key, values: valuesOf(part, false) }))
  if (rest.length > 0) series.push({ name: OTHERS, values: valuesOf(together(rest), false) })
  return { days, series }
}

const NONE: TradePart = { costs: [], refunds: [], received: [] }

function figures(part: TradePart, conversion: Conversion, withFees: boolean): Values {
  const money = receivedOf(part.received)
  return { ...partFigures(part, conversion, withFees ? money.feesTzs : 0n), ...money }
}

function together(parts: TradePart[]): TradePart {
  return {
    costs: parts.flatMap(({ costs }) => costs),
    refunds: parts.flatMap(({ refunds }) => refunds),
    received: parts.flatMap(({ received }) => received),
  }
}

function daysOf({ firstDay, dayAfterLast }: DayPeriod): string[] {
  const days: string[] = []
  for (let day = firstDay; day < dayAfterLast; day = dayAfter(day)) days.push(day)
  return days
}
