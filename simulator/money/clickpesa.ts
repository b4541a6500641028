import { createHmac } from 'node:crypto'
import type { SimPayment } from './payments.ts'
import { canonical } from './callbacks.ts'
import type { Reply, Request, ProviderState } from './wire.ts'
import { afterPush, textOf } from './wire.ts'

export type ClickpesaKeys = {
  clientId: string
  apiKey: string
  checksumKey: string
  webhookUrl(): string
  tokens: Set<string>
}

export async function clickpesaReply(
  state: ProviderState,
  keys: ClickpesaKeys,
  request: Request,
): Promise<Reply> {
  if (request.path === '/generate-token') return clickpesaToken(state, keys, request)
  if (!keys.tokens.has(String(request.headers.authorization))) {
    return { status: 401, json: { message: 'Unauthorized' } }
  }
  if (request.method === 'POST' && request.path === '/payments/initiate-ussd-push-request') {
    return clickpesaCreate(state, keys, request)
  }
  const reference = decodeURIComponent(request.path.slice('/payments/'.length))
  const payment = state.records.byCallerRef('clickpesa', reference)
  state.records.note('status', payment?.reference)
  if (!payment)
    return { status: 404, json: { message: `Invalid or missing payment: ${reference}` } }
  return { status: 200, json: [clickpesaView(state, payment)] }
}

function clickpesaToken({ records }: ProviderState, keys: ClickpesaKeys, request: Request): Reply {
  records.note('token')
  if (
    request.headers['client-id'] !== keys.clientId ||
    request.headers['api-key'] !== keys.apiKey
  ) {
    return { status: 403, json: { message: 'Invalid or Expired API-Key' } }
  }
  const token = `Bearer sim-${keys.tokens.size + 1}-${Date.now()}`
  keys.tokens.add(token)
  return { status: 200, json: { success: true, token } }
}

async function clickpesaCreate(
  state: ProviderState,
  keys: ClickpesaKeys,
  request: Request,
): Promise<Reply> {
  const { records } = state
  const { checksum, ...signed } = request.body
  const reference = textOf(request.body.orderReference)
  const amount = Number(request.body.amount)
  const phone = textOf(request.body.phoneNumber)
  records.note('create', undefined, reference)
  const expected = createHmac('sha256', keys.checksumKey).update(canonical(signed)).digest('hex')
  if (checksum !== expected) return { status: 400, json: { message: 'Invalid checksum' } }
  if (typeof request.body.amount !== 'string' || !(amount >= 500)) {
    return { status: 400, json: { message: 'Invalid amount' } }
  }
  if (!/^[0-9A-Za-z]{1,20}$/.test(reference)) {
    return { status: 400, json: { message: 'Invalid order reference' } }
  }
  if (records.byCallerRef('clickpesa', reference)) {
    const message = `Order reference ${reference} already used: Create a different reference`
    return { status: 409, json: { message } }
  }
  const plan = records.plan({ phone, amount })
  if (!/^255\d{9}$/.test(phone) || plan.create === 'refused') {
    return { status: 400, json: { message: 'Invalid / unsupported phone number' } }
  }
  if (plan.create === 'limited_once' && !state.rateLimited.has(reference)) {
    state.rateLimited.add(reference)
    return { status: 429, json: { message: 'Too many requests' } }
  }
  const payment = records.add({
    wire: 'clickpesa',
    callerRef: reference,
    amount,
    currency: textOf(request.body.currency),
    phone,
    collected: amount + (plan.amountOff ?? 0),
    collectedCurrency: plan.currency ?? textOf(request.body.currency),
    webhookUrl: keys.webhookUrl(),
    metadata: {},
    customer: {},
  })
  await state.begin(payment, plan)
  const error = { status: 500, json: { message: 'Error validating fee, try again later' } }
  const { message: _, ...created } = clickpesaView(state, { ...payment, status: 'pending' })
  const answer = { ...created, status: 'PROCESSING', collectedAmount: String(amount) }
  return afterPush(plan, error) ?? { status: 200, json: answer }
}

function clickpesaView(state: ProviderState, payment: SimPayment): Record<string, unknown> {
  const pending = payment.status === 'pending' || state.records.plan(payment).statusStaysPending
  const ended = payment.word ?? (payment.status === 'failed' ? 'FAILED' : 'SUCCESS')
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
