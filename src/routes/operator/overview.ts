import { z } from 'zod'
import { periodOfDays, readOverview, type Overview } from '../../administration/overview.ts'
import { creditsNumber } from '../../billing/money.ts'
import { ENTRY_TYPES } from '../../billing/statement.ts'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import type { Clock } from '../../lib/clock.ts'
import { dayAfter, dayAt, isDay } from '../../lib/days.ts'
import { reading } from './shared.ts'

type Deps = { db: Db; clock: Clock; timeZone: string }

const dayField = z
  .string()
  .max(10)
  .refine((text) => /^2[01]/.test(text) && isDay(text), 'must be a day such as 2026-01-31')

const money = z.object({ received_tzs: z.int(), payments: z.int() })
const use = z.object({ requests: z.int(), used_credits: z.number() })

const overviewShape = z.object({
  ...money.shape,
  ...use.shape,
  by_network: z.array(money.extend({ network: z.string() })),
  credits: z
    .record(z.string(), z.number())
    .meta({ description: 'Added or taken, by type of ledger entry, without usage' }),
  uncollected_credits: z.number(),
  owed: z.object({
    balance_credits: z.number(),
    reserved_credits: z.number(),
    accounts: z.int(),
  }),
  days: z.array(z.object({ day: z.string(), ...money.shape, ...use.shape })),
  by_model: z.array(use.extend({ model: z.string() })),
})

/** Money in, credits sold, given and used, and what we owe. */
export function overviewRoute({ db, clock, timeZone }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/overview',
    summary:
      'Read the business of some days: money received, credits added and used, what could not be ' +
      'collected, and what customers have now. The last 30 days by default; both days are included',
    query: z.object({ from: dayField.optional(), to: dayField.optional() }),
    response: overviewShape,
    async handle({ query }) {
      const to = query.to ?? dayAt(clock.now(), timeZone)
      const from = query.from ?? dayAfter(to, -29)
      const overview = await readOverview(db, periodOfDays(from, to, timeZone))
      const beside = { period: { from, to, zone: timeZone } }
      return { data: showOverview(overview), beside }
    },
  })
}

function showOverview(overview: Overview): z.infer<typeof overviewShape> {
  const { received, credits, usage, owed } = overview
  const days = [...new Set([...received, ...usage].map(({ day }) => day))].sort()
  const types = ENTRY_TYPES.filter((type) => type !== 'usage')
  return {
    ...showReceived(received),
    ...showUsage(usage),
    by_network: [...Map.groupBy(received, ({ network }) => network ?? 'unknown')].map(
      ([network, rows]) => ({ network, ...showReceived(rows) }),
    ),
    credits: Object.fromEntries(
      types.map((type) => {
        const rows = credits.filter((one) => one.type === type)
        return [type, creditsNumber(total(rows.map((one) => one.amountMicro)))]
      }),
    ),
    uncollected_credits: creditsNumber(overview.uncollectedMicro),
    owed: {
      balance_credits: creditsNumber(owed.balanceMicro),
      reserved_credits: creditsNumber(owed.heldMicro),
      accounts: owed.accounts,
    },
    days: days.map((day) => ({
      day,
      ...showReceived(received.filter((one) => one.day === day)),
      ...showUsage(usage.filter((one) => one.day === day)),
    })),
    by_model: [...Map.groupBy(usage, ({ model }) => model)].map(([model, rows]) => ({
      model,
      ...showUsage(rows),
    })),
  }
}

function showReceived(rows: Overview['received']): z.infer<typeof money> {
  return {
    received_tzs: Number(total(rows.map((one) => one.amountTzs))),
    payments: rows.reduce((sum, { count }) => sum + count, 0),
  }
}

function showUsage(rows: Overview['usage']): z.infer<typeof use> {
  return {
    requests: Number(total(rows.map((one) => one.requests))),
    used_credits: creditsNumber(total(rows.map((one) => one.costMicro))),
  }
}

function total(amounts: bigint[]): bigint {
  return amounts.reduce((sum, one) => sum + one, 0n)
}
