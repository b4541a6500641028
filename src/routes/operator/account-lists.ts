import { z } from 'zod'
import { findActivity } from '../../activity/period.ts'
import { statement } from '../../ledger/statement.ts'
import { operatorActor } from '../../operators/actor.ts'
import { noteRead, type ReadEvent } from '../../operators/audit-log.ts'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Payments } from '../../payments/payments.ts'
import { periodShape, recordsQuery, recordShape, showRecord } from '../activity.ts'
import { showEntry, transactionShape, transactionsQuery } from '../billing.ts'
import { filterOf } from '../console/activity-reports.ts'
import { pagination } from '../fields.ts'
import { paymentsQuery, paymentShape, showPayment } from '../payments.ts'
import { idParams, reading } from './shared.ts'

type Deps = { db: Db; clock: Clock; timeZone: string; payments: Payments }

/** What a customer sees of the account, in the same words and numbers. */
export function accountListRoutes(deps: Deps): Route[] {
  return [transactionsRoute(deps), activityRoute(deps), paymentsRoute(deps)]
}

function transactionsRoute({ db }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/accounts/:id/transactions',
    summary: 'List the transactions of an account, newest first',
    params: idParams,
    query: transactionsQuery,
    response: z.array(transactionShape),
    async handle(call) {
      const { params, query } = call
      await noteList(db, call, 'read.transactions')
      const { type, from, to, limit, offset } = query
      const found = await statement(db, { accountId: params.id, type, from, to, limit, offset })
      return { data: found.entries.map(showEntry), beside: pagination(query, found) }
    },
  })
}

function activityRoute({ db, clock, timeZone }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/accounts/:id/activity',
    summary: 'List the usage records of an account, newest first',
    params: idParams,
    query: recordsQuery,
    response: z.array(recordShape),
    beside: { period: periodShape },
    async handle(call) {
      const { params, query } = call
      await noteList(db, call, 'read.activity')
      const filter = filterOf(query, { accountId: params.id, timeZone })
      const page = await findActivity(db, filter, { ...query, now: clock.now() })
      const beside = { ...pagination(query, page), period: page.period }
      return { data: page.records.map(showRecord), beside }
    },
  })
}

function paymentsRoute({ db, payments }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/accounts/:id/payments',
    summary: 'List the payments of an account, newest first',
    params: idParams,
    query: paymentsQuery,
    response: z.array(paymentShape),
    async handle(call) {
      const { params, query } = call
      await noteList(db, call, 'read.payments')
      const { status, limit, offset } = query
      const page = await payments.list({ accountId: params.id, status, limit, offset })
      const hasMore = offset + page.payments.length < page.total
      const beside = pagination(query, { total: page.total, hasMore })
      return { data: page.payments.map(showPayment), beside }
    },
  })
}

function noteList(
  db: Db,
  call: Parameters<typeof operatorActor>[0] & { params: { id: string } },
  action: ReadEvent['action'],
): Promise<void> {
  const target = { type: 'account', id: call.params.id }
  return noteRead(db, operatorActor(call), { action, target })
}
