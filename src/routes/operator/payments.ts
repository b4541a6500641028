import { z } from 'zod'
import { operatorActor } from '../../operators/actor.ts'
import { askProvider, noPayment, resolveReview } from '../../operators/payment-actions.ts'
import { noteRead } from '../../operators/audit-log.ts'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import { Failure } from '../../lib/failure.ts'
import type { Payment, Payments } from '../../payments/payments.ts'
import { findById } from '../../payments/payments-read-store.ts'
import { listQueue, QUEUES } from '../../payments/reviews-store.ts'
import { stamp, momentField } from '../fields.ts'
import { paymentShape, showPayment } from '../payments.ts'
import { acting, idParams, countField, reading, reasonField } from './shared.ts'
import type { Comparison } from '../../payments/compare-statement.ts'
import { reconcileStatement } from '../../payments/statement.ts'

type Deps = { db: Db; payments: Payments }

/** Payments that need a person. */
export function reviewRoutes(deps: Deps): Route[] {
  return [
    queueRoute(deps),
    readRoute(deps),
    checkRoute(deps),
    resolutionRoute(deps),
    statementRoute(deps),
  ]
}

const reviewedShape = z.object({
  ...paymentShape.shape,
  account_id: z.uuid(),
  provider: z.string(),
  checks: z.int(),
  review: z
    .object({
      reason: z.string(),
      said: z.string().optional().meta({ description: 'The words of the provider' }),
      at: stamp.optional(),
      done_by: z.string().optional(),
    })
    .optional(),
})

function queueRoute({ db }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/payments',
    summary:
      'List payments that need a person, oldest first: `review` (the provider said something ' +
      'else), `stuck` (pending for more than five minutes) or `late` (paid after they had ended)',
    query: z.object({ queue: z.enum(QUEUES).default('review'), limit: countField }),
    response: z.array(reviewedShape),
    async handle(call) {
      const { query } = call
      const target = { type: 'payments', id: query.queue }
      await noteRead(db, operatorActor(call), { action: 'read.payments', target })
      const found = await listQueue(db, query.queue, query.limit)
      return { data: found.map(showReviewed) }
    },
  })
}

function readRoute({ db }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/payments/:id',
    summary: 'Read a payment',
    params: idParams,
    response: reviewedShape,
    async handle(call) {
      const { params } = call
      const target = { type: 'payment', id: params.id }
      await noteRead(db, operatorActor(call), { action: 'read.payment', target })
      const payment = await findById(db, params.id)
      if (!payment) throw noPayment()
      return { data: showReviewed(payment) }
    },
  })
}

function checkRoute(deps: Deps): Route {
  return route({
    ...acting('support'),
    method: 'POST',
    path: '/v1/operator/payments/:id/check',
    summary: 'Ask the payment provider now, and apply what it answers',
    params: idParams,
    body: z.object({ reason: reasonField.optional() }),
    response: reviewedShape,
    async handle(call) {
      const wanted = { id: call.params.id, reason: call.body.reason }
      const payment = await askProvider(deps, operatorActor(call), wanted)
      if (!payment) throw noPayment()
      return { data: showReviewed(payment) }
    },
  })
}

function resolutionRoute({ db }: Deps): Route {
  return route({
    ...acting('support'),
    method: 'POST',
    path: '/v1/operator/payments/:id/resolution',
    summary:
      'Say what was done about a payment that needed a person: it leaves the queue. Credits are ' +
      'added or taken by an adjustment of the account',
    params: idParams,
    body: z.object({
      action: z.enum(['credited', 'written_off', 'refunded']),
      reason: reasonField,
    }),
    response: z.object({}),
    async handle(call) {
      const { action: resolution, reason: note } = call.body
      const wanted = { id: call.params.id, resolution, note }
      if (await resolveReview(db, operatorActor(call), wanted)) return { data: {} }
      throw new Failure('not_found', 'There is no such payment to review.')
    },
  })
}

function showReviewed(payment: Payment): z.infer<typeof reviewedShape> {
  const { review, reviewSaid, reviewAt, reviewedBy } = payment
  return {
    ...showPayment(payment),
    account_id: payment.accountId,
    provider: payment.provider,
    checks: payment.checks,
    review:
      review === undefined
        ? undefined
        : {
            reason: review,
            said: reviewSaid,
            at: reviewAt?.toISOString(),
            done_by: reviewedBy,
          },
  }
}

const comparisonShape = z.object({
  rows: z.int(),
  matched: z.int(),
  statement_tzs: z.int(),
  own_tzs: z.int(),
  difference_count: z.int(),
  differences: z.array(
    z.object({
      kind: z.enum(['unknown_here', 'not_credited', 'amount_differs', 'missing_there', 'repeated']),
      reference: z.string(),
      payment_id: z.uuid().optional(),
      line: z.int().optional(),
      statement_tzs: z.int().optional(),
      own_tzs: z.int().optional(),
    }),
  ),
})

/** Compares and changes nothing: what differs is put right payment by payment. */
function statementRoute({ db }: { db: Db }): Route {
  return route({
    ...reading('support'),
    method: 'POST',
    path: '/v1/operator/payments/statement',
    summary:
      "Compare the payment provider's statement of some days, as CSV, with our payments, and list " +
      'the differences',
    body: z.object({
      csv: z.string().min(1).max(4_000_000),
      from: momentField,
      to: momentField,
    }),
    response: comparisonShape,
    async handle(call) {
      const { body } = call
      const days = `${body.from.toISOString()} ${body.to.toISOString()}`
      const target = { type: 'payments', id: days }
      await noteRead(db, operatorActor(call), { action: 'read.statement', target })
      return { data: showComparison(await reconcileStatement(db, body)) }
    },
  })
}

const MOST_SHOWN = 1_000

function showComparison(compared: Comparison): z.infer<typeof comparisonShape> {
  return {
    rows: compared.rows,
    matched: compared.matched,
    statement_tzs: compared.statementTzs,
    own_tzs: compared.ownTzs,
    difference_count: compared.differences.length,
    differences: compared.differences.slice(0, MOST_SHOWN).map((one) => ({
      kind: one.kind,
      reference: one.reference,
      payment_id: one.paymentId,
      line: one.line,
      statement_tzs: one.statementTzs,
      own_tzs: one.ownTzs,
    })),
  }
}
