import { canonicalJson } from '../lib/canonical-json.ts'
import { isFields, parseForeignJson, type Fields } from '../lib/json.ts'
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
  CallbackReading,
  CreateResult,
  Observation,
  PaymentOrder,
  PaymentProvider,
} from './provider.ts'
import { timestampProblem } from './provider.ts'

/**
 * ClickPesa: a token that is issued for two keys, our reference (refused with 409 when used
 * before, which is how a lost create is found again), amounts as strings, a checksum inside the
 * body both ways, no expiry state and no event id.
 */
export function clickpesa(options: ClickpesaOptions): PaymentProvider {
  const { clientId, apiKey, checksumKey } = options
  if (clientId === '' || apiKey === '' || checksumKey === '') {
    throw new Error('ClickPesa needs its keys.')
  }
  const send = authorizedSend(options)
  return {
    name: 'clickpesa',
    createBody: (order) => createBody(checksumKey, order),
    create: (order, body) => create(send, order, body),
    status: (order) => status(send, order),
    readCallback: (rawBody, _headers, now) => readCallback(checksumKey, rawBody, now),
  }
}

/** Undefined when its keys are not set. */
export function clickpesaFromSettings(settings: ClickpesaSettings): PaymentProvider | undefined {
  const {
    CLICKPESA_BASE_URL: baseUrl,
    CLICKPESA_CLIENT_ID: clientId,
    CLICKPESA_API_KEY: apiKey,
    CLICKPESA_CHECKSUM_KEY: checksumKey,
  } = settings
  if (clientId === undefined || apiKey === undefined || checksumKey === undefined) return undefined
  return clickpesa({ baseUrl, clientId, apiKey, checksumKey })
}

export type ClickpesaSettings = {
  CLICKPESA_BASE_URL: string
  CLICKPESA_CLIENT_ID?: string | undefined
  CLICKPESA_API_KEY?: string | undefined
  CLICKPESA_CHECKSUM_KEY?: string | undefined
}

export type ClickpesaOptions = {
  baseUrl: string
  clientId: string
  apiKey: string
  checksumKey: string
  timeoutMs?: number | undefined
}

/** `checksum` and `checksumMethod` are left out of what is signed. */
export function checksumOf(key: string, payload: Fields): string {
  const { checksum: _, checksumMethod: __, ...signed } = payload
  return hmacSha256(key, canonicalJson(signed)).toString('hex')
}

type Send = (method: 'GET' | 'POST', path: string, body?: string) => Promise<ProviderReply>

const TOKEN_LIFE_MS = 55 * 60_000

/** Sends with a token that is fetched once an hour, and once more when it is refused early. */
function authorizedSend(options: ClickpesaOptions): Send {
  const base = options.baseUrl.replace(/\/$/, '')
  const timeoutMs = options.timeoutMs ?? 8_000
  let token: { value: string; untilMs: number } | undefined

  async function renewToken(): Promise<ProviderReply | undefined> {
    if (token && token.untilMs > performance.now()) return undefined
    const headers = { 'client-id': options.clientId, 'api-key': options.apiKey }
    const url = `${base}/generate-token`
    const reply = await callProvider({ method: 'POST', url, headers, timeoutMs })
    const value = isAnswer(reply) && reply.status === 200 ? pick(reply.json, 'token') : undefined
    if (typeof value !== 'string') return isAnswer(reply) ? { status: 0, reason: 'token' } : reply
    token = { value, untilMs: performance.now() + TOKEN_LIFE_MS }
    return undefined
  }

  return async (method, path, body) => {
    for (let attempt = 1; ; attempt++) {
      const failed = await renewToken()
      if (failed) return failed
      const headers = {
        authorization: token?.value ?? '',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      }
      const reply = await callProvider({ method, url: base + path, headers, body, timeoutMs })
      if (reply.status !== 401 || attempt > 1) return reply
      token = undefined
    }
  }
}

function createBody(checksumKey: string, order: PaymentOrder): string {
  const payload = {
    amount: String(order.amountTzs),
    currency: order.currency,
    orderReference: order.reference,
    phoneNumber: order.phoneNumber.replace('+', ''),
  }
  return JSON.stringify({ ...payload, checksum: checksumOf(checksumKey, payload) })
}

async function create(send: Send, order: PaymentOrder, body: string): Promise<CreateResult> {
  const reply = await send('POST', '/payments/initiate-ussd-push-request', body)
  if (!isAnswer(reply)) return { kind: 'unknown', reason: reply.reason }
  if (reply.status === 200 || reply.status === 201) return accepted(observed(reply.json, order))
  // The reference is ours alone, so "already used" means that an earlier create arrived.
  if (reply.status === 409) return accepted(await status(send, order))
  if (reply.status === 400 || reply.status === 422) {
    return { kind: 'refused', code: refusalCodeFromProse(pick(reply.json, 'message')) }
  }
  return { kind: 'unknown', reason: `status_${reply.status}` }
}

function accepted(observation: Observation): CreateResult {
  if (observation.status === 'unreachable') return { kind: 'unknown', reason: observation.reason }
  if (observation.status === 'not_found') return { kind: 'unknown', reason: 'not_found' }
  return { kind: 'accepted', observation }
}

async function status(send: Send, order: PaymentOrder): Promise<Observation> {
  const reply = await send('GET', `/payments/${encodeURIComponent(order.reference)}`)
  return readStatusReply(reply, (json) => {
    const rows: unknown[] = Array.isArray(json) ? json : [json]
    if (rows.length === 0) return { status: 'not_found' }
    // One reference may list several attempts of the payer: a success among them is what counts,
    // unless money went back: then a person has to look.
    const attempts = rows.map((row) => observed(row, order))
    const first = (status: string) => attempts.find((attempt) => attempt.status === status)
    return first('reversed') ?? first('completed') ?? attempts[0]!
  })
}

const STATUS: Record<string, 'pending' | 'completed' | 'failed'> = {
  PROCESSING: 'pending',
  PENDING: 'pending',
  'ON-HOLD': 'pending',
  SUCCESS: 'completed',
  SETTLED: 'completed',
  FAILED: 'failed',
}

function observed(row: unknown, order: PaymentOrder): Observation {
  const word = textAt(row, 'status') ?? ''
  const said = statusWord(pick(row, 'status'))
  if (textAt(row, 'orderReference') !== order.reference) {
    return { status: 'unreachable', reason: 'unreadable_answer' }
  }
  const known = Object.hasOwn(STATUS, word) ? STATUS[word] : undefined
  const status = meansReversal(word) ? 'reversed' : known
  if (status === undefined) return { status: 'unreachable', reason: 'unreadable_answer', said }
  return {
    status,
    amountTzs: wholeTzs(pick(row, 'collectedAmount') ?? pick(row, 'amount')),
    currency: textAt(row, 'collectedCurrency') ?? textAt(row, 'currency'),
    providerRef: undefined, // their id plays no part: the reference is ours
    network: textAt(row, 'channel'),
    failure: status === 'failed' ? errorCodeFromProse(pick(row, 'message')) : undefined,
    said,
  }
}

function readCallback(checksumKey: string, rawBody: Buffer, now: Date): CallbackReading {
  const event = objectIn(rawBody)
  if (event === undefined) return { authentic: false, reason: 'malformed' }
  const checksum = textAt(event, 'checksum')
  if (checksum === undefined) return { authentic: false, reason: 'signature_missing' }
  if (!safeEqual(checksum.toLowerCase(), checksumOf(checksumKey, event))) {
    return { authentic: false, reason: 'signature_wrong' }
  }
  return hintFrom(pick(event, 'data'), now)
}

/** The signature is inside the body: one that cannot be read, or is nested too deeply, has none. */
function objectIn(rawBody: Buffer): Fields | undefined {
  try {
    const value = parseForeignJson(rawBody)
    canonicalJson(value)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

function hintFrom(data: unknown, now: Date): CallbackReading {
  const stamp = textAt(data, 'updatedAt') ?? textAt(data, 'createdAt')
  const word = textAt(data, 'status')
  // Failures bear no time. They can only make us ask, so they may come without one; so may word
  // of a reversal, whose form nobody documents.
  const timeless = stamp === undefined && (word === 'FAILED' || meansReversal(word))
  const problem = timeless ? undefined : timestampProblem(Date.parse(stamp ?? ''), now)
  if (problem) return { authentic: false, reason: problem }
  const reference = textAt(data, 'orderReference')
  if (reference === undefined) return { authentic: false, reason: 'malformed' }
  return {
    authentic: true,
    hint: {
      paymentId: undefined,
      reference,
      providerRef: undefined,
      amountTzs: wholeTzs(pick(data, 'collectedAmount') ?? pick(data, 'amount')),
      currency: textAt(data, 'collectedCurrency') ?? textAt(data, 'currency'),
    },
  }
}
