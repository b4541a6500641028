import { z } from 'zod'
import { masked } from '../accounts/identifiers.ts'
import { creditsNumber } from '../ledger/money.ts'
import { route, type Call, type Route } from '../http/route.ts'
import { paymentErrorMessage } from '../payments/payment-error.ts'
import type { Payment, Payments } from '../payments/payments.ts'
import type { TopUpRules } from '../payments/topup.ts'
import { pageQuery, pagination } from './fields.ts'

type Deps = { payments: Payments }

export function paymentRoutes(deps: Deps): Route[] {
  return [topUpRoute(deps), listRoute(deps), readRoute(deps), checkRoute(deps), callbackRoute(deps)]
}

const STATUSES = ['pending', 'completed', 'failed', 'expired'] as const

export const paymentShape = z.object({
  id: z.uuid(),
  status: z.enum(STATUSES),
  amount_tzs: z.number().int(),
  credits: z.number(),
  currency: z.literal('TZS'),
  method: z.literal('mobile_money'),
  network: z.string().optional(),
  phone_number: z.string(),
  reference: z.string(),
  provider_reference: z
    .string()
    .optional()
    .meta({ description: "The payment provider's own, for questions to the mobile network" }),
  late: z
    .literal(true)
    .optional()
    .meta({ description: 'The money arrived after the payment had failed or expired' }),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  asked_at: z.iso
    .datetime()
    .optional()
    .meta({ description: 'Since when the payment provider has it, and the phone is asked' }),
  expires_at: z.iso.datetime(),
  completed_at: z.iso.datetime().optional(),
})

/** How much is allowed is judged with the payment; the OpenAPI document says it. */
const topUpBody = ({ minTzs, maxTzs }: TopUpRules) =>
  z.object({
    amount_tzs: z
      .number('must be a whole number')
      .int()
      .meta({ override: { minimum: minTzs, maximum: maxTzs } }),
  })
type TopUpBody = { amount_tzs: number }

function topUpRoute({ payments }: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/payments/topup',
    summary: 'Start a mobile-money payment on the phone of the account',
    description:
      'Responds at once: the phone asks for the PIN. Read the payment until its status is final. Of an account, and on a phone that is not verified, five can wait for the PIN at a time.',
    tag: 'Payments',
    credential: 'jwt',
    dialect: 'envelope',
    limit: 'principal',
    replay: true,
    bodyKind: 'json',
    body: topUpBody(payments.rules),
    response: paymentShape,
    successStatus: 201,
    handle: (call) => topUp(payments, call),
  })
}

/** The answer is stored in the transaction that makes the payment, so it is rendered inside it. */
async function topUp(payments: Payments, call: Call<TopUpBody, undefined, undefined, 'jwt'>) {
  const { claim } = call
  const answer = (payment: Payment) => call.render({ status: 201, data: showPayment(payment) })
  const payment = await payments.topUp({
    accountId: call.principal.accountId,
    amountTzs: call.body.amount_tzs,
    keep: claim && { claim, answer },
  })
  return { ...answer(payment), ...(claim ? { stored: true as const } : {}) }
}

export const paymentsQuery = z.object({
  ...pageQuery,
  status: z.enum(STATUSES).optional().meta({ description: 'Only payments in this state' }),
})

function listRoute({ payments }: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/payments',
    summary: 'List the payments of the account, newest first',
    description: 'With `status`, only those.',
    tag: 'Payments',
    credential: 'jwt',
    dialect: 'envelope',
    limit: 'principal',
    query: paymentsQuery,
    response: z.array(paymentShape),
    async handle({ principal, query }) {
      const { status, limit, offset } = query
      const { accountId } = principal
      const page = await payments.list({ accountId, status, limit, offset })
      const hasMore = offset + page.payments.length < page.total
      const beside = pagination(query, { total: page.total, hasMore })
      return { data: page.payments.map(showPayment), beside }
    },
  })
}

function readRoute({ payments }: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/payments/:id',
    summary: 'Read a payment. It is pending until it is completed, failed or expired',
    description: 'Read it every few seconds while you wait for the phone.',
    tag: 'Payments',
    credential: 'jwt',
    dialect: 'envelope',
    limit: 'principal',
    params: z.object({ id: z.string() }),
    response: paymentShape,
    async handle({ principal, params }) {
      return { data: showPayment(await payments.read(principal.accountId, params.id)) }
    },
  })
}

function checkRoute({ payments }: Deps): Route {
  return route({
    method: 'POST',
    path: '/v1/payments/:id/check',
    summary: 'Ask the payment provider about a payment now',
    description:
      'For when you have paid and it is still pending. Answers with the payment as it then is; credits are added once, however often you ask.',
    tag: 'Payments',
    credential: 'jwt',
    dialect: 'envelope',
    limit: 'principal',
    // Each call asks the payment provider, which has limits of its own.
    perMinute: 10,
    params: z.object({ id: z.string() }),
    response: paymentShape,
    async handle({ principal, params }) {
      return { data: showPayment(await payments.checkOwn(principal.accountId, params.id)) }
    },
  })
}

const callbackParams = z.object({ provider: z.string() })
const LARGEST_CALLBACK_BYTES = 64 * 1024

function callbackRoute({ payments }: Deps): Route {
  return route<Buffer, undefined, z.infer<typeof callbackParams>, 'none'>({
    method: 'POST',
    path: '/v1/payments/callbacks/:provider',
    summary: 'Take word of a payment from the payment provider',
    description:
      'Called by the provider, with a signature over the raw body. It makes the service check the payment.',
    tag: 'Payments',
    credential: 'none',
    dialect: 'envelope',
    limit: 'none',
    bodyKind: 'raw',
    bodyLimitBytes: LARGEST_CALLBACK_BYTES,
    params: callbackParams,
    response: z.object({}),
    refuses: ['unauthorized'],
    async handle({ params, body: rawBody, headers }) {
      await payments.takeCallback({ provider: params.provider, rawBody, headers })
      return { data: {} }
    },
  })
}

export function showPayment(payment: Payment): z.infer<typeof paymentShape> {
  const { network, errorCode, completedAt, phoneNumber } = payment
  return {
    id: payment.id,
    status: payment.status,
    amount_tzs: payment.amountTzs,
    credits: creditsNumber(payment.creditsMicro),
    currency: 'TZS',
    method: 'mobile_money',
    network,
    phone_number: masked({ channel: 'phone', value: phoneNumber }),
    reference: payment.reference,
    provider_reference: payment.providerRef,
    late: payment.late || undefined,
    error: errorCode && { code: errorCode, message: paymentErrorMessage(errorCode) },
    created_at: payment.createdAt.toISOString(),
    updated_at: payment.updatedAt.toISOString(),
    asked_at: payment.acceptedAt?.toISOString(),
    expires_at: payment.expiresAt.toISOString(),
    completed_at: completedAt?.toISOString(),
  }
}
