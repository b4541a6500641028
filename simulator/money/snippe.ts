import type { PaymentRecords, SimPayment } from './payments.ts'
import type { Reply, Request, ProviderState } from './wire.ts'
import { afterPush, textOf } from './wire.ts'

export type SnippeKeys = { apiKey: string }

export async function snippeReply(
  state: ProviderState,
  keys: SnippeKeys,
  request: Request,
): Promise<Reply> {
  if (request.headers.authorization !== `Bearer ${keys.apiKey}`) {
    return snippeError(401, 'unauthorized', 'Invalid API key')
  }
  if (request.method === 'POST' && request.path === '/v1/payments')
    return snippeCreate(state, request)
  if (request.method !== 'GET') return snippeError(404, 'not_found', 'No such route')
  if (request.path === '/v1/payments/search' || request.path === '/v1/payments') {
    return snippeList(state.records, request.query)
  }
  const payment = state.records.byReference(
    decodeURIComponent(request.path.slice('/v1/payments/'.length)),
  )
  state.records.note('status', payment?.reference)
  if (payment?.wire !== 'snippe') return snippeError(404, 'not_found', 'Payment not found')
  return { status: 200, json: { status: 'success', code: 200, data: snippeView(state, payment) } }
}

async function snippeCreate(state: ProviderState, request: Request): Promise<Reply> {
  const { records } = state
  const key = String(request.headers['idempotency-key'] ?? '')
  const details = (request.body.details ?? {}) as { amount?: unknown; currency?: unknown }
  const phone = textOf(request.body.phone_number)
  const amount = details.amount
  records.note('create', undefined, key)
  if (key.length > 30) return snippeError(400, 'PAY_001', 'Idempotency key too long')
  const known = key === '' ? undefined : records.byCallerRef('snippe', key)
  if (known) return snippeCreated(state, known)
  if (typeof amount !== 'number' || !Number.isInteger(amount) || amount < 500) {
    return snippeError(400, 'validation_error', 'Amount must be an integer of at least 500')
  }
  const plan = records.plan({ phone, amount })
  if (!/^255\d{9}$/.test(phone) || plan.create === 'refused') {
    return snippeError(400, 'validation_error', 'Invalid phone number')
  }
  if (plan.create === 'limited_once' && !state.rateLimited.has(key)) {
    state.rateLimited.add(key)
    return { ...snippeError(429, 'rate_limit_exceeded', 'Slow down'), headers: RATE_HEADERS }
  }
  const payment = records.add({
    wire: 'snippe',
    callerRef: key,
    amount,
    currency: textOf(details.currency),
    phone,
    collected: amount + (plan.amountOff ?? 0),
    collectedCurrency: plan.currency ?? textOf(details.currency),
    webhookUrl: textOf(request.body.webhook_url),
    metadata: (request.body.metadata ?? {}) as Record<string, unknown>,
    customer: { phone: `+${phone}` },
  })
  await state.begin(payment, plan)
  return (
    afterPush(plan, snippeError(500, 'server_error', 'Try again')) ?? snippeCreated(state, payment)
  )
}

const RATE_HEADERS = {
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': '1',
}

function snippeCreated(state: ProviderState, payment: SimPayment): Reply {
  const data = {
    ...snippeView(state, payment),
    amount: { value: payment.amount, currency: payment.currency },
    status: 'pending',
    expires_at: new Date(payment.createdAt + 4 * 3_600_000).toISOString(),
  }
  return { status: 201, json: { status: 'success', code: 201, data } }
}

function snippeView(state: ProviderState, payment: SimPayment): Record<string, unknown> {
  const pending = payment.status === 'pending' || state.records.plan(payment).statusStaysPending
  const money = { value: payment.collected, currency: payment.collectedCurrency }
  const shared = {
    object: 'payment',
    api_version: '2026-01-25',
    payment_type: 'mobile',
    reference: payment.reference,
    metadata: payment.metadata,
  }
  if (pending) {
    const requested = { value: payment.amount, currency: payment.currency }
    return { ...shared, status: 'pending', amount: requested }
  }
  const channel = { type: 'mobile_money', provider: 'airtel' }
  const ended = { ...shared, status: payment.word ?? payment.status, amount: money, channel }
  if (payment.status === 'failed') return { ...ended, failure_reason: payment.failure }
  return payment.status === 'completed' ? { ...ended, settlement: settlementOf(money) } : ended
}

/** Two in a hundred, rounded up. */
function settlementOf({ value, currency }: { value: number; currency: string }) {
  const fees = Math.ceil(value / 50)
  return {
    gross: { value, currency },
    fees: { value: fees, currency },
    net: { value: value - fees, currency },
  }
}

function snippeList(records: PaymentRecords, query: URLSearchParams): Reply {
  const phone = query.get('phone_number')
  const status = query.get('status')
  const items = records
    .all()
    .filter((one) => one.wire === 'snippe')
    .filter((one) => phone === null || one.phone === phone)
    .filter((one) => status === null || one.status === status)
    .map((one) => ({
      reference: one.reference,
      status: one.status,
      amount: { value: one.collected, currency: one.collectedCurrency },
      metadata: one.metadata,
      failure_reason: one.failure,
    }))
  records.note('search')
  const offset = Number(query.get('offset') ?? 0)
  const page = items.slice(offset, offset + Number(query.get('limit') ?? 100))
  return {
    status: 200,
    json: { status: 'success', code: 200, data: { items: page, total: items.length } },
  }
}

function snippeError(code: number, error_code: string, message: string) {
  return { status: code, json: { status: 'error', code, error_code, message } }
}
