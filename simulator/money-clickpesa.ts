import { createHmac } from 'node:crypto'
import type { SimPayment } from './money-book.ts'
import { canonical } from './money-callbacks.ts'
import type { Reply, Request, Wire } from './money-wire.ts'
import { afterPush, words } from './money-wire.ts'

export type ClickpesaKeys = {
  clientId: string
  apiKey: string
  checksumKey: string
  webhookUrl(): string
  tokens: Set<string>
}

export async function clickpesaReply(
  wire: Wire,
  keys: ClickpesaKeys,
  ask: Request,
): Promise<Reply> {
  if (ask.path === '/generate-token') return clickpesaToken(wire, keys, ask)
  if (!keys.tokens.has(String(ask.headers.authorization))) {
    return { status: 401, json: { message: 'Unauthorized' } }
  }
  if (ask.method === 'POST' && ask.path === '/payments/initiate-ussd-push-request') {
    return clickpesaCreate(wire, keys, ask)
  }
  const reference = decodeURIComponent(ask.path.slice('/payments/'.length))
  const payment = wire.book.byCallerRef('clickpesa', reference)
  wire.book.note('status', payment?.reference)
  if (!payment)
    return { status: 404, json: { message: `Invalid or missing payment: ${reference}` } }
  return { status: 200, json: [clickpesaView(wire, payment)] }
}

function clickpesaToken({ book }: Wire, keys: ClickpesaKeys, ask: Request): Reply {
  book.note('token')
  if (ask.headers['client-id'] !== keys.clientId || ask.headers['api-key'] !== keys.apiKey) {
    return { status: 403, json: { message: 'Invalid or Expired API-Key' } }
  }
  const token = `Bearer sim-${keys.tokens.size + 1}-${Date.now()}`
  keys.tokens.add(token)
  return { status: 200, json: { success: true, token } }
}

async function clickpesaCreate(wire: Wire, keys: ClickpesaKeys, ask: Request): Promise<Reply> {
  const { book } = wire
  const { checksum, ...signed } = ask.body
  const reference = words(ask.body.orderReference)
  const amount = Number(ask.body.amount)
  const phone = words(ask.body.phoneNumber)
  book.note('create', undefined, reference)
  const expected = createHmac('sha256', keys.checksumKey).update(canonical(signed)).digest('hex')
  if (checksum !== expected) return { status: 400, json: { message: 'Invalid checksum' } }
  if (typeof ask.body.amount !== 'string' || !(amount >= 500)) {
    return { status: 400, json: { message: 'Invalid amount' } }
  }
  if (!/^[0-9A-Za-z]{1,20}$/.test(reference)) {
    return { status: 400, json: { message: 'Invalid order reference' } }
  }
  if (book.byCallerRef('clickpesa', reference)) {
    const message = `Order reference ${reference} already used: Create a different reference`
    return { status: 409, json: { message } }
  }
  const plan = book.plan({ phone, amount })
  if (!/^255\d{9}$/.test(phone) || plan.create === 'refused') {
    return { status: 400, json: { message: 'Invalid / unsupported phone number' } }
  }
  if (plan.create === 'limited_once' && !wire.limited.has(reference)) {
    wire.limited.add(reference)
    return { status: 429, json: { message: 'Too many requests' } }
  }
  const payment = book.add({
    wire: 'clickpesa',
    callerRef: reference,
    amount,
    currency: words(ask.body.currency),
    phone,
    collected: amount + (plan.amountOff ?? 0),
    collectedCurrency: plan.currency ?? words(ask.body.currency),
    webhookUrl: keys.webhookUrl(),
    metadata: {},
    customer: {},
  })
  await wire.begin(payment, plan)
  const error = { status: 500, json: { message: 'Error validating fee, try again later' } }
  const { message: _, ...created } = clickpesaView(wire, { ...payment, status: 'pending' })
  const answer = { ...created, status: 'PROCESSING', collectedAmount: String(amount) }
  return afterPush(plan, error) ?? { status: 200, json: answer }
}

function clickpesaView(wire: Wire, payment: SimPayment): Record<string, unknown> {
  const pending = payment.status === 'pending' || wire.book.plan(payment).statusStaysPending
  const ended = payment.status === 'failed' ? 'FAILED' : 'SUCCESS'
  return {
    id: payment.reference,
    status: pending ? 'PROCESSING' : ended,
    paymentReference: `P${payment.createdAt}`,
    paymentPhoneNumber: payment.phone,
    orderReference: payment.callerRef,
    collectedAmount: pending ? payment.amount : payment.collected,
    collectedCurrency: pending ? payment.currency : payment.collectedCurrency,
    channel: 'AIRTEL-MONEY',
    message: payment.failure ?? 'Payment request',
    createdAt: new Date(payment.createdAt).toISOString(),
    updatedAt: new Date(payment.updatedAt).toISOString(),
  }
}
