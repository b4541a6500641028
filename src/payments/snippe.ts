import { parseForeignJson } from '../lib/json.ts'
import { hmacSha256, safeEqual } from '../lib/secrets.ts'
import { errorCodeFromProse, refusalCodeFromProse } from './payment-error.ts'
import type { ProviderReply } from './provider-http.ts'
import {
  callProvider,
  isAnswer,
  meansReversal,
  pick,
  readStatusReply,
  statusWord,
  textAt,
  wholeTzs,
} from './provider-http.ts'
import type {
  CallbackHeaders,
  CallbackReading,
  CallbackRefusal,
  CreateResult,
  NewOrder,
  Observation,
  PaymentOrder,
  PaymentProvider,
} from './provider.ts'
import { timestampProblem } from './provider.ts'

/**
 * Snippe: a bearer key, their reference, our `Idempotency-Key` (kept by them for 24 hours, which is
 * how a create whose answer was lost is found again), integer amounts, callbacks signed by headers.
 */
export function snippe(options: SnippeOptions): PaymentProvider {
  const { apiKey, webhookSecret } = options
  if (apiKey === '' || webhookSecret === '') throw new Error('Snippe needs its keys.')
  return {
    name: options.name ?? 'snippe',
    createBody: (order) => createBody(options, order),
    create: async ({ reference: key }, body) =>
      readCreated(await send(options, { method: 'POST', path: '/v1/payments', key, body })),
    status: (order) => status(options, order),
    readCallback: (rawBody, headers, now) => readCallback(webhookSecret, rawBody, headers, now),
  }
}

/** Undefined when its keys are not set. */
export function snippeFromSettings(
  settings: SnippeSettings,
  callbackUrl: (provider: string) => string,
): PaymentProvider | undefined {
  const { SNIPPE_API_KEY: apiKey, SNIPPE_WEBHOOK_SECRET: webhookSecret } = settings
  if (apiKey === undefined || webhookSecret === undefined) return undefined
  return snippe({
    baseUrl: settings.SNIPPE_BASE_URL,
    apiKey,
    webhookSecret,
    callbackUrl: () => callbackUrl('snippe'),
    fallbackEmail: settings.SNIPPE_FALLBACK_EMAIL,
  })
}

export type SnippeSettings = {
  SNIPPE_BASE_URL: string
  SNIPPE_API_KEY?: string | undefined
  SNIPPE_WEBHOOK_SECRET?: string | undefined
  SNIPPE_FALLBACK_EMAIL?: string | undefined
}

export type SnippeOptions = {
  /** Another name for the same API, so that simulated payments are never confused with real ones. */
  name?: string | undefined
  baseUrl: string
  apiKey: string
  webhookSecret: string
  /** Called for each payment: the port we listen on may be known only later. */
  callbackUrl: () => string
  /** Snippe requires an email address; not every account has one. */
  fallbackEmail: string | undefined
  timeoutMs?: number | undefined
}

const VERSION = '2026-01-25'
const NO_EMAIL = 'customer@example.com'

type Call = { method: 'GET' | 'POST'; path: string; key?: string; body?: string }

function send(options: SnippeOptions, call: Call): Promise<ProviderReply> {
  return callProvider({
    method: call.method,
    url: options.baseUrl.replace(/\/$/, '') + call.path,
    headers: {
      authorization: `Bearer ${options.apiKey}`,
      'snippe-version': VERSION,
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(call.key === undefined ? {} : { 'idempotency-key': call.key }),
    },
    body: call.body,
    timeoutMs: options.timeoutMs ?? 8_000,
  })
}

function createBody(options: SnippeOptions, order: NewOrder): string {
  const [firstname = '-', ...rest] = order.payerName.trim().split(/\s+/)
  return JSON.stringify({
    payment_type: 'mobile',
    details: { amount: order.amountTzs, currency: order.currency },
    phone_number: order.phoneNumber.replace('+', ''),
    customer: {
      firstname: firstname || '-',
      lastname: rest.join(' ') || '-',
      email: order.payerEmail ?? options.fallbackEmail ?? NO_EMAIL,
    },
    webhook_url: options.callbackUrl(),
    metadata: { payment_id: order.id },
  })
}

function readCreated(reply: ProviderReply): CreateResult {
  if (!isAnswer(reply)) return { kind: 'unknown', reason: reply.reason }
  if (reply.status === 200 || reply.status === 201) {
    const observation = observed(pick(reply.json, 'data'))
    const usable = observation.status !== 'unreachable' && observation.status !== 'not_found'
    if (usable && observation.providerRef) return { kind: 'accepted', observation }
    return { kind: 'unknown', reason: 'unreadable_answer' }
  }
  // 401, 403, 409 and 429 are our problem and may pass; 400 and 422 are about this very order.
  if (reply.status === 400 || reply.status === 422) {
    const prose = pick(reply.json, 'message') ?? pick(reply.json, 'error', 'message')
    return { kind: 'refused', code: refusalCodeFromProse(prose) }
  }
  return { kind: 'unknown', reason: `status_${reply.status}` }
}

async function status(options: SnippeOptions, order: PaymentOrder): Promise<Observation> {
  if (order.providerRef === undefined) return search(options, order)
  const path = `/v1/payments/${encodeURIComponent(order.providerRef)}`
  const reply = await send(options, { method: 'GET', path })
  return readStatusReply(reply, (json) => observed(pick(json, 'data')))
}

/** Their reference never reached us: look for the payment that bears our id. */
async function search(options: SnippeOptions, order: PaymentOrder): Promise<Observation> {
  const phone = encodeURIComponent(order.phoneNumber.replace('+', ''))
  const path = `/v1/payments/search?phone_number=${phone}`
  return readStatusReply(await send(options, { method: 'GET', path }), (json) => {
    const data = pick(json, 'data')
    const items: unknown = Array.isArray(data) ? data : pick(data, 'items')
    if (!Array.isArray(items)) return { status: 'unreachable', reason: 'unreadable_answer' }
    const ours = items.find((item: unknown) => pick(item, 'metadata', 'payment_id') === order.id)
    return ours === undefined ? { status: 'not_found' } : observed(ours)
  })
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
  const said = statusWord(pick(data, 'status'))
  const known = Object.hasOwn(STATUS, word) ? STATUS[word as keyof typeof STATUS] : undefined
  const status = meansReversal(word) ? 'reversed' : known
  if (status === undefined) return { status: 'unreachable', reason: 'unreadable_answer', said }
  const reason = word === 'voided' ? 'voided' : pick(data, 'failure_reason')
  return {
    status,
    amountTzs: wholeTzs(pick(data, 'amount', 'value')),
    currency: textAt(data, 'amount', 'currency'),
    providerRef: textAt(data, 'reference'),
    network: textAt(data, 'channel', 'provider'),
    failure: status === 'failed' ? errorCodeFromProse(reason) : undefined,
    feeTzs: wholeTzs(pick(data, 'settlement', 'fees', 'value')),
    said,
  }
}

function readCallback(
  secret: string,
  rawBody: Buffer,
  headers: CallbackHeaders,
  now: Date,
): CallbackReading {
  const signature = headers['x-webhook-signature']
  const stamp = headers['x-webhook-timestamp']
  if (typeof signature !== 'string' || signature === '') return refuse('signature_missing')
  if (typeof stamp !== 'string' || !/^\d{1,12}$/.test(stamp)) return refuse('timestamp_missing')
  const expected = hmacSha256(secret, `${stamp}.`, rawBody).toString('hex')
  if (!safeEqual(signature.toLowerCase(), expected)) return refuse('signature_wrong')
  const problem = timestampProblem(Number(stamp) * 1000, now)
  if (problem) return refuse(problem)
  return hintFrom(rawBody)
}

function hintFrom(rawBody: Buffer): CallbackReading {
  let event: unknown
  try {
    event = parseForeignJson(rawBody)
  } catch {
    return refuse('malformed') // signed, yet not JSON: it names no payment
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

function refuse(reason: CallbackRefusal): CallbackReading {
  return { authentic: false, reason }
}
