import { z } from 'zod'
import {
  notReportedShare,
  tzsNumber,
  usdNumber,
  type Figures,
} from '../../operators/business/margin.ts'
import { periodOfDays, readOverview, type Overview } from '../../operators/business/overview.ts'
import {
  overviewFigures,
  conversionOf,
  type MoneySettings,
  type OverviewFigures,
  type Received,
} from '../../operators/business/overview-figures.ts'
import { DIVISIONS, METRIC_NAMES, seriesOf } from '../../operators/business/series.ts'
import { creditsNumber } from '../../ledger/money.ts'
import { ENTRY_TYPES } from '../../ledger/statement.ts'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import type { Clock } from '../../lib/clock.ts'
import { dayAfter, dayAt } from '../../lib/days.ts'
import { dayField, reading } from './shared.ts'

type Deps = { db: Db; clock: Clock; timeZone: string; money: MoneySettings }

export function overviewRoutes(deps: Deps): Route[] {
  return [overviewRoute(deps), seriesRoute(deps)]
}

const received = z.object({
  received_tzs: z.int(),
  payments: z.int(),
  fees_tzs: z.int(),
  fees_unknown: z.int().meta({ description: 'Payments whose fee the provider did not say' }),
})
const use = z.object({
  requests: z.int(),
  failed_requests: z.int(),
  used_credits: z.number(),
  gift_credits: z.number().meta({ description: 'Used, but never bought: these earn nothing' }),
  refunded_credits: z.number(),
  uncollected_credits: z.number(),
  waived_credits: z.number().meta({ description: 'Worth of work that nobody paid for' }),
  earned_tzs: z.number(),
  upstream_usd: z.number(),
  upstream_tzs: z.number(),
  not_reported_share: z
    .number()
    .meta({ description: 'The part of the upstream cost that no upstream reported, 0 to 1' }),
  margin_tzs: z.number(),
})

const overviewShape = z.object({
  ...received.shape,
  ...use.shape,
  by_network: z.array(received.extend({ network: z.string() })),
  credits: z
    .record(z.string(), z.number())
    .meta({ description: 'Added or taken, by type of ledger entry, without usage' }),
  owed: z.object({
    balance_credits: z.number(),
    reserved_credits: z.number(),
    gift_credits: z.number(),
    accounts: z.int(),
  }),
  paid_in: z
    .object({ received_tzs: z.int(), payments: z.int(), credits: z.number() })
    .meta({ description: 'All that was ever received, and the credits that were added for it' }),
  days: z.array(
    z.object({ day: z.string(), tzs_per_usd: z.number(), ...received.shape, ...use.shape }),
  ),
  by_model: z.array(use.extend({ model: z.string() })),
  by_upstream: z.array(use.extend({ upstream: z.string() })),
})

const daysShape = z.object({ from: z.string(), to: z.string(), zone: z.string() })

const daysQuery = { from: dayField.optional(), to: dayField.optional() }

/** Money in, credits sold, given and used, what it cost us, and what we owe. */
function overviewRoute({ db, clock, timeZone, money }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/overview',
    summary:
      'Read the business of some days: money received, credits added and used, what calls cost at ' +
      'the upstreams, the margin, what could not be collected, and what customers have now beside ' +
      'all that was ever paid in. The last 30 days by default; both days are included',
    query: z.object(daysQuery),
    response: overviewShape,
    beside: { period: daysShape },
    async handle({ query }) {
      const { from, to } = daysAsked(query, clock, timeZone)
      const overview = await readOverview(db, periodOfDays(from, to, timeZone))
      const data = showOverview(overview, overviewFigures(overview, money))
      return { data, beside: { period: { from, to, zone: timeZone } } }
    },
  })
}

const seriesShape = z.object({
  days: z.array(z.string()),
  series: z.array(z.object({ name: z.string(), values: z.array(z.number()) })),
})

function seriesRoute({ db, clock, timeZone, money }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/series',
    summary:
      'Read one measure day by day, as one line or divided. The lines have a value for each day',
    query: z.object({
      ...daysQuery,
      metric: z.enum(METRIC_NAMES),
      by: z.enum(DIVISIONS).optional(),
    }),
    response: seriesShape,
    beside: { period: daysShape },
    async handle({ query }) {
      const { from, to } = daysAsked(query, clock, timeZone)
      const period = periodOfDays(from, to, timeZone)
      const overview = await readOverview(db, period)
      const data = seriesOf(overview, period, conversionOf(overview, money), query)
      return { data, beside: { period: { from, to, zone: timeZone } } }
    },
  })
}

function daysAsked(
  query: { from?: string | undefined; to?: string | undefined },
  clock: Clock,
  timeZone: string,
): { from: string; to: string } {
  const to = query.to ?? dayAt(clock.now(), timeZone)
  return { from: query.from ?? dayAfter(to, -29), to }
}

function showOverview(
  { credits, owed, paidIn }: Overview,
  figures: OverviewFigures,
): z.infer<typeof overviewShape> {
  const { total, days, models, upstreams, networks } = figures
  return {
    ...showReceived(total),
    ...showUse(total),
    by_network: networks.map((one) => ({
      network: one.network ?? 'unknown',
      ...showReceived(one),
    })),
    credits: Object.fromEntries(
      ENTRY_TYPES.filter((type) => type !== 'usage').map((type) => {
        const amounts = credits.filter((one) => one.type === type).map((one) => one.amountMicro)
        return [type, creditsNumber(amounts.reduce((sum, one) => sum + one, 0n))]
      }),
    ),
    owed: {
      balance_credits: creditsNumber(owed.balanceMicro),
      reserved_credits: creditsNumber(owed.heldMicro),
      gift_credits: creditsNumber(owed.giftMicro),
      accounts: owed.accounts,
    },
    paid_in: {
      received_tzs: Number(paidIn.amountTzs),
      payments: Number(paidIn.payments),
      credits: creditsNumber(paidIn.creditsMicro),
    },
    days: days.map((one) => ({
      day: one.day,
      tzs_per_usd: tzsNumber(one.tzsPerUsd),
      ...showReceived(one),
      ...showUse(one),
    })),
    by_model: models.map((one) => ({ model: one.model, ...showUse(one) })),
    by_upstream: upstreams.map((one) => ({ upstream: one.upstream, ...showUse(one) })),
  }
}

function showReceived(one: Received): z.infer<typeof received> {
  return {
    received_tzs: Number(one.amountTzs),
    payments: one.count,
    fees_tzs: Number(one.feesTzs),
    fees_unknown: one.feesUnknown,
  }
}

function showUse(one: Figures): z.infer<typeof use> {
  return {
    requests: Number(one.requests),
    failed_requests: Number(one.failed),
    used_credits: creditsNumber(one.usedMicro),
    gift_credits: creditsNumber(one.giftMicro),
    refunded_credits: creditsNumber(one.refundedMicro),
    uncollected_credits: creditsNumber(one.uncollectedMicro),
    waived_credits: creditsNumber(one.waivedMicro),
    earned_tzs: tzsNumber(one.earnedTzs),
    upstream_usd: usdNumber(one.upstreamNusd),
    upstream_tzs: tzsNumber(one.upstreamTzs),
    not_reported_share: notReportedShare(one),
    margin_tzs: tzsNumber(one.marginTzs),
  }
}
