import assert from 'node:assert/strict'
import { z } from 'zod'
import { creditsNumber } from '../billing/money.ts'
import type { Call } from '../http/route.ts'
import { type Route, route } from '../http/route.ts'
import { paymentErrorMessage } from '../payments/payment-error.ts'
import type { Payment, Payments } from '../payments/payments.ts'
import { pageQuery, pagination } from './paging.ts'

type Deps = { payments: Payments }

export function paymentRoutes(deps: Deps): Route[] {
  return [topUpRoute(deps), listRoute(deps), readRoute(deps), callbackRoute(deps)]
}

const STATUSES = ['pending', 'completed', 'failed', 'expired'] as const

const paymentShape = z.object({
  id: z.uuid(),
  status: z.enum(STATUSES),
  amount_tzs: z.number().int(),
  credits: z.number(),
  currency: z.literal('TZS'),
  method: z.literal('mobile_money'),
  network: z.string().optional(),
  phone_number: z.string(),
  reference: z.string(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  completed_at: z.iso.datetime().optional(),
})

const topUpBody = z.object({ amount_tzs: z.number('must be a whole number').int() })
type TopUpBody = z.infer<typeof topUpBody>

function topUpRoute({ payments }: Deps): Route {
  return route<TopUpBody>({
    method: 'POST',
    path: '/v1/payments/topup',
    summary: 'Ask the phone of the account for mobile money. Answers at once; poll the payment.',
    tag: 'Payments',
    credential: 'jwt',
    dialect: 'envelope',
    limit: 'principal',
    replay: true,
    bodyKind: 'json',
    body: topUpBody,
    response: paymentShape,
    successStatus: 201,
    handle: (call) => topUp(payments, call),
  })
}

/** The answer is kept in the transaction that makes the payment, so it is rendered inside it. */
async function topUp(payments: Payments, call: Call<TopUpBody, undefined, undefined>) {
  assert(call.principal)
  const { claim } = call
  const answer = (payment: Payment) => call.render({ status: 201, data: showPayment(payment) })
  const payment = await payments.topUp({
    accountId: call.principal.accountId,
    amountTzs: call.body.amount_tzs,
    keep: claim && { claim, answer },
  })
  return { ...answer(payment), ...(claim ? { kept: true as const } : {}) }
}

const listQuery = z.object({ ...pageQuery, status: z.enum(STATUSES).optional() })

function listRoute({ payments }: Deps): Route {
  return route<undefined, z.infer<typeof listQuery>>({
    method: 'GET',
    path: '/v1/payments',
    summary: 'Payments of the account, newest first.',
    tag: 'Payments',
    credential: 'jwt',
    dialect: 'envelope',
    limit: 'principal',
    query: listQuery,
    response: z.array(paymentShape),
    async handle({ principal, query }) {
      assert(principal)
      const { status, limit, offset } = query
      const { accountId } = principal
      const page = await payments.list({ accountId, status, limit, offset })
      const hasMore = offset + page.payments.length < page.total
      const beside = pagination(query, { total: page.total, hasMore })
      return { data: page.payments.map(showPayment), beside }
    },
  })
}

const readParams = z.object({ id: z.string() })

function readRoute({ payments }: Deps): Route {
  return route<undefined, undefined, z.infer<typeof readParams>>({
    method: 'GET',
    path: '/v1/payments/:id',
    summary: 'One payment. It is pending until it is completed, failed or expired.',
    tag: 'Payments',
    credential: 'jwt',
    dialect: 'envelope',
    limit: 'principal',
    params: readParams,
    response: paymentShape,
    async handle({ principal, params }) {
      assert(principal)
      return { data: showPayment(await payments.read(principal.accountId, params.id)) }
    },
  })
}

const callbackParams = z.object({ provider: z.string() })
const LARGEST_CALLBACK_BYTES = 64 * 1024

function callbackRoute({ payments }: Deps): Route {
  return route<Buffer, undefined, z.infer<typeof callbackParams>>({
    method: 'POST',
    path: '/v1/payments/callbacks/:provider',
    summary: 'For the payment provider, signed over the raw body. Only a hint to look.',
    tag: 'Payments',
    credential: 'none',
    dialect: 'envelope',
    limit: 'none',
    bodyKind: 'raw',
    bodyLimitBytes: LARGEST_CALLBACK_BYTES,
    params: callbackParams,
    response: z.object({}),
    async handle({ params, body: rawBody, headers }) {
      await payments.takeCallback({ provider: params.provider, rawBody, headers })
      return { data: {} }
    },
  })
}

function showPayment(payment: Payment): z.infer<typeof paymentShape> {
  const { network, errorCode, completedAt, phoneNumber } = payment
  const error = errorCode && { code: errorCode, message: paymentErrorMessage(errorCode) }
  return {
    id: payment.id,
    status: payment.status,
    amount_tzs: payment.amountTzs,
    credits: creditsNumber(payment.creditsMicro),
    currency: 'TZS',
    method: 'mobile_money',
    ...(network === undefined ? {} : { network }),
    phone_number: `${phoneNumber.slice(0, 4)}***${phoneNumber.slice(-3)}`,
    reference: payment.reference,
    ...(error === undefined ? {} : { error }),
    created_at: payment.createdAt.toISOString(),
    updated_at: payment.updatedAt.toISOString(),
    expires_at: payment.expiresAt.toISOString(),
    ...(completedAt === undefined ? {} : { completed_at: completedAt.toISOString() }),
  }
}
