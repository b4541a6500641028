import type { Book, SimPayment } from './money-book.ts'
import type { Reply, Request, Wire } from './money-wire.ts'
import { afterPush, words } from './money-wire.ts'

export type SnippeKeys = { apiKey: string }

export async function snippeReply(wire: Wire, keys: SnippeKeys, ask: Request): Promise<Reply> {
  if (ask.headers.authorization !== `Bearer ${keys.apiKey}`) {
    return snippeError(401, 'unauthorized', 'Invalid API key')
  }
  if (ask.method === 'POST' && ask.path === '/v1/payments') return snippeCreate(wire, ask)
  if (ask.method !== 'GET') return snippeError(404, 'not_found', 'No such route')
  if (ask.path === '/v1/payments/search' || ask.path === '/v1/payments') {
    return snippeList(wire.book, ask.query)
  }
  const payment = wire.book.byReference(decodeURIComponent(ask.path.slice('/v1/payments/'.length)))
  wire.book.note('status', payment?.reference)
  if (payment?.wire !== 'snippe') return snippeError(404, 'not_found', 'Payment not found')
  return { status: 200, json: { status: 'success', code: 200, data: snippeView(wire, payment) } }
}

async function snippeCreate(wire: Wire, ask: Request): Promise<Reply> {
  const { book } = wire
  const key = String(ask.headers['idempotency-key'] ?? '')
  const details = (ask.body.details ?? {}) as { amount?: unknown; currency?: unknown }
  const phone = words(ask.body.phone_number)
  const amount = details.amount
  book.note('create', undefined, key)
  if (key.length > 30) return snippeError(400, 'PAY_001', 'Idempotency key too long')
  const known = key === '' ? undefined : book.byCallerRef('snippe', key)
  if (known) return snippeCreated(wire, known)
  if (typeof amount !== 'number' || !Number.isInteger(amount) || amount < 500) {
    return snippeError(400, 'validation_error', 'Amount must be an integer of at least 500')
  }
  const plan = book.plan({ phone, amount })
  if (!/^255\d{9}$/.test(phone) || plan.create === 'refused') {
    return snippeError(400, 'validation_error', 'Invalid phone number')
  }
  if (plan.create === 'limited_once' && !wire.limited.has(key)) {
    wire.limited.add(key)
    return { ...snippeError(429, 'rate_limit_exceeded', 'Slow down'), headers: RATE_HEADERS }
  }
  const payment = book.add({
    wire: 'snippe',
    callerRef: key,
    amount,
    currency: words(details.currency),
    phone,
    collected: amount + (plan.amountOff ?? 0),
    collectedCurrency: plan.currency ?? words(details.currency),
    webhookUrl: words(ask.body.webhook_url),
    metadata: (ask.body.metadata ?? {}) as Record<string, unknown>,
    customer: { phone: `+${phone}` },
  })
  await wire.begin(payment, plan)
  return (
    afterPush(plan, snippeError(500, 'server_error', 'Try again')) ?? snippeCreated(wire, payment)
  )
}

const RATE_HEADERS = {
  'x-ratelimit-limit': '60',
  'x-ratelimit-remaining': '0',
  'x-ratelimit-reset': '1',
}

function snippeCreated(wire: Wire, payment: SimPayment): Reply {
  const data = {
    ...snippeView(wire, payment),
    amount: { value: payment.amount, currency: payment.currency },
    status: 'pending',
    expires_at: new Date(payment.createdAt + 4 * 3_600_000).toISOString(),
  }
  return { status: 201, json: { status: 'success', code: 201, data } }
}

function snippeView(wire: Wire, payment: SimPayment): Record<string, unknown> {
  const pending = payment.status === 'pending' || wire.book.plan(payment).statusStaysPending
  const money = { value: payment.collected, currency: payment.collectedCurrency }
  const shared = {
    object: 'payment',
    api_version: '2026-01-25',
    payment_type: 'mobile',
    reference: payment.reference,
    metadata: payment.metadata,
  }
  if (pending) {
    const asked = { value: payment.amount, currency: payment.currency }
    return { ...shared, status: 'pending', amount: asked }
  }
  const channel = { type: 'mobile_money', provider: 'airtel' }
  const ended = { ...shared, status: payment.status, amount: money, channel }
  return payment.status === 'failed' ? { ...ended, failure_reason: payment.failure } : ended
}

function snippeList(book: Book, query: URLSearchParams): Reply {
  const phone = query.get('phone_number')
  const status = query.get('status')
  const items = book
    .all()
    .filter((one) => one.wire === 'snippe')
    .filter((one) => phone === null || one.phone === phone)
    .filter((one) => status === null || one.status === status)
    .map((one) => ({
      reference: one.reference,
      status: one.status,
      amount: { value: one.collected, currency: one.collectedCurrency },
      metadata: one.metadata,
      ...(one.failure === undefined ? {} : { failure_reason: one.failure }),
    }))
  book.note('search')
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
