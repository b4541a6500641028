import { z } from 'zod'
import { operatorActor } from '../../operators/actor.ts'
import { creditsNumber } from '../../ledger/money.ts'
import {
  openExport,
  recordExport,
  sumMonth,
  type ExportKind,
  type MonthSums,
} from '../../operators/accounting/exports.ts'
import { readMonth, type MonthPeriod } from '../../operators/accounting/month.ts'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import { streamOf } from '../../lib/csv.ts'
import { stamp } from '../fields.ts'
import { addressFor, reading } from './shared.ts'

type Deps = { db: Db; timeZone: string }

/** For an accountant: the ledger or the payments of a month, and their sums. */
export function exportRoutes(deps: Deps): Route[] {
  return [csvRoute('ledger', deps), csvRoute('payments', deps), sumsRoute(deps)]
}

function monthQuery(timeZone: string) {
  const month = z
    .string()
    .max(7, A_MONTH)
    .transform((text, context): MonthPeriod => {
      const period = readMonth(text, timeZone)
      if (period !== undefined) return period
      context.addIssue(A_MONTH)
      return z.NEVER
    })
  return z.object({ month })
}

const A_MONTH = 'must be a month such as 2026-11'

const SUMMARIES: Record<ExportKind, string> = {
  ledger: 'Download every movement of credits in a month, of all customers, as CSV',
  payments:
    'Download the payments whose credits were added in a month, as CSV. A viewer sees phone ' +
    'numbers masked',
}

function csvRoute(kind: ExportKind, { db, timeZone }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: `/v1/operator/exports/${kind}.csv`,
    summary: SUMMARIES[kind],
    perMinute: 10,
    query: monthQuery(timeZone),
    answerType: 'text/csv; charset=utf-8',
    async handle(call) {
      const { month: period } = call.query
      const { month } = period
      const showPhone = (phone: string) => addressFor(call.principal, 'phone', phone) ?? ''
      await recordExport(db, operatorActor(call), { kind, month })
      const write = openExport(db, { kind, period, showPhone })
      return {
        status: 200,
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="mlango-${kind}-${month}.csv"`,
        },
        body: streamOf(write),
      }
    },
  })
}

const sumsShape = z.object({
  ledger: z.object({
    opening_credits: z.number(),
    movements: z.array(
      z.object({ type: z.string(), entries: z.int(), amount_credits: z.number() }),
    ),
    closing_credits: z.number(),
  }),
  payments: z.object({ count: z.int(), received_tzs: z.int(), credits: z.number() }),
  period: z.object({ month: z.string(), zone: z.string(), from: stamp, to: stamp }),
})

function sumsRoute({ db, timeZone }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/exports/sums',
    summary:
      'Read the sums of a month, to which the exports add up: what customers had at its beginning, ' +
      'what was added and taken, what they had at its end, and the money received',
    perMinute: 30,
    query: monthQuery(timeZone),
    response: sumsShape,
    async handle({ query: { month: period } }) {
      return { data: showSums(await sumMonth(db, period), period) }
    },
  })
}

function showSums(
  { ledger, received }: MonthSums,
  { month, zone, from, to }: MonthPeriod,
): z.infer<typeof sumsShape> {
  return {
    ledger: {
      opening_credits: creditsNumber(ledger.openingMicro),
      movements: ledger.movements.map(({ type, entries, amountMicro }) => ({
        type,
        entries: Number(entries),
        amount_credits: creditsNumber(amountMicro),
      })),
      closing_credits: creditsNumber(ledger.closingMicro),
    },
    payments: {
      count: Number(received.payments),
      received_tzs: Number(received.amountTzs),
      credits: creditsNumber(received.creditsMicro),
    },
    period: { month, zone, from: from.toISOString(), to: to.toISOString() },
  }
}
