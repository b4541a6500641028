import { hmacSha256, safeEqual } from '../lib/secrets.ts'
import type { Callback, CallbackHeaders, Created, Observation, Order, PaymentPort } from './port.ts'
import { failureFromProse, freshness } from './port.ts'
import type { Exchange } from './provider-http.ts'
import { exchange, isAnswer, pick, textAt, wholeTzs } from './provider-http.ts'

/**
 * Snippe: a bearer key, their reference, our `Idempotency-Key` (kept by them for 24 hours, which is
 * how a create whose answer was lost is found again), integer amounts, callbacks signed by headers.
 */
export function snippe(options: SnippeOptions): PaymentPort {
  const { apiKey, webhookSecret } = options
  if (apiKey === '' || webhookSecret === '') throw new Error('an empty key signs nothing')
  return {
    name: options.name ?? 'snippe',
    create: async (order) => readCreated(await send(options, createCall(options, order))),
    status: (order) => status(options, order),
    readCallback: (rawBody, headers, now) => readCallback(webhookSecret, rawBody, headers, now),
  }
}

export type SnippeOptions = {
  /** Another name for the same wire, so that pretended money is never looked for at the real one. */
  name?: string
  baseUrl: string
  apiKey: string
  webhookSecret: string
  /** Asked at each create: the port we listen on may be known only later. */
  callbackUrl: () => string
  /** Snippe wants an address from everyone; not every account has one. */
  fallbackEmail: string
  timeoutMs?: number
}

const VERSION = '2026-01-25'

type Call = { method: 'GET' | 'POST'; path: string; key?: string; body?: string }

function send(options: SnippeOptions, call: Call): Promise<Exchange> {
  return exchange({
    method: call.method,
    url: options.baseUrl.replace(/\/$/, '') + call.path,
    headers: {
      authorization: `Bearer ${options.apiKey}`,
      'snippe-version': VERSION,
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(call.key === undefined ? {} : { 'idempotency-key': call.key }),
    },
    ...(call.body === undefined ? {} : { body: call.body }),
    timeoutMs: options.timeoutMs ?? 8_000,
  })
}

function createCall(options: SnippeOptions, order: Order): Call {
  const [firstname = '-', ...rest] = order.payerName.trim().split(/\s+/)
  const body = {
    payment_type: 'mobile',
    details: { amount: order.amountTzs, currency: order.currency },
    phone_number: order.phoneNumber.replace('+', ''),
    customer: {
      firstname: firstname || '-',
      lastname: rest.join(' ') || '-',
      email: order.payerEmail ?? options.fallbackEmail,
    },
    webhook_url: options.callbackUrl(),
    metadata: { payment_id: order.id },
  }
  return { method: 'POST', path: '/v1/payments', key: order.reference, body: JSON.stringify(body) }
}

function readCreated(answer: Exchange): Created {
  if (!isAnswer(answer)) return { kind: 'unknown', reason: answer.reason }
  if (answer.status === 200 || answer.status === 201) {
    const observation = observed(pick(answer.json, 'data'))
    const usable = observation.status !== 'unreachable' && observation.status !== 'not_found'
    if (usable && observation.providerRef) return { kind: 'accepted', observation }
    return { kind: 'unknown', reason: 'unreadable_answer' }
  }
  // 401, 403, 409 and 429 are our trouble and may pass; 400 and 422 are about this very order.
  if (answer.status === 400 || answer.status === 422) {
    return { kind: 'refused', code: refusal(answer.json) }
  }
  return { kind: 'unknown', reason: `status_${answer.status}` }
}

function refusal(json: unknown) {
  const code = failureFromProse(pick(json, 'message') ?? pick(json, 'error', 'message'))
  return code === 'unknown' ? 'rejected' : code
}

async function status(options: SnippeOptions, order: Order): Promise<Observation> {
  if (order.providerRef === undefined) return find(options, order)
  const path = `/v1/payments/${encodeURIComponent(order.providerRef)}`
  const answer = await send(options, { method: 'GET', path })
  if (!isAnswer(answer)) return { status: 'unreachable', reason: answer.reason }
  if (answer.status === 404) return { status: 'not_found' }
  if (answer.status !== 200) return { status: 'unreachable', reason: `status_${answer.status}` }
  return observed(pick(answer.json, 'data'))
}

/** Their reference never reached us: look for the payment that bears our id. */
async function find(options: SnippeOptions, order: Order): Promise<Observation> {
  const phone = encodeURIComponent(order.phoneNumber.replace('+', ''))
  const path = `/v1/payments/search?phone_number=${phone}`
  const answer = await send(options, { method: 'GET', path })
  if (!isAnswer(answer)) return { status: 'unreachable', reason: answer.reason }
  if (answer.status === 404) return { status: 'not_found' }
  if (answer.status !== 200) return { status: 'unreachable', reason: `status_${answer.status}` }
  const data = pick(answer.json, 'data')
  const items: unknown = Array.isArray(data) ? data : pick(data, 'items')
  if (!Array.isArray(items)) return { status: 'unreachable', reason: 'unreadable_answer' }
  const ours = items.find((item: unknown) => pick(item, 'metadata', 'payment_id') === order.id)
  return ours === undefined ? { status: 'not_found' } : observed(ours)
}

const STATUS = {
  pending: 'pending',
  completed: 'completed',
  failed: 'failed',
  voided: 'failed',
  expired: 'expired',
} as const

function observed(data: unknown): Observation {
  const word = textAt(data, 'status') ?? ''
  const status = Object.hasOwn(STATUS, word) ? STATUS[word as keyof typeof STATUS] : undefined
  if (status === undefined) return { status: 'unreachable', reason: 'unreadable_answer' }
  const reason = word === 'voided' ? 'voided' : pick(data, 'failure_reason')
  return {
    status,
    amountTzs: wholeTzs(pick(data, 'amount', 'value')),
    currency: textAt(data, 'amount', 'currency'),
    providerRef: textAt(data, 'reference'),
    network: textAt(data, 'channel', 'provider'),
    failure: status === 'failed' ? failureFromProse(reason) : undefined,
  }
}

function readCallback(
  secret: string,
  rawBody: Buffer,
  headers: CallbackHeaders,
  now: Date,
): Callback {
  const signature = headers['x-webhook-signature']
  const stamp = headers['x-webhook-timestamp']
  if (typeof signature !== 'string' || signature === '') return refuse('signature_missing')
  if (typeof stamp !== 'string' || !/^\d{1,12}$/.test(stamp)) return refuse('timestamp_missing')
  const expected = hmacSha256(secret, `${stamp}.`, rawBody).toString('hex')
  if (!safeEqual(signature.toLowerCase(), expected)) return refuse('signature_wrong')
  const untimely = freshness(Number(stamp) * 1000, now)
  if (untimely) return refuse(untimely)
  return hintFrom(rawBody)
}

function hintFrom(rawBody: Buffer): Callback {
  let event: unknown
  try {
    event = JSON.parse(rawBody.toString('utf8'))
  } catch {
    return refuse('malformed') // signed, yet not JSON: nothing to look at
  }
  const data = pick(event, 'data')
  const hint = {
    paymentId: textAt(data, 'metadata', 'payment_id'),
    reference: undefined,
    providerRef: textAt(data, 'reference'),
    amountTzs: wholeTzs(pick(data, 'amount', 'value')),
    currency: textAt(data, 'amount', 'currency'),
  }
  return hint.providerRef === undefined ? refuse('malformed') : { authentic: true, hint }
}

function refuse(reason: Extract<Callback, { authentic: false }>['reason']): Callback {
  return { authentic: false, reason }
}
