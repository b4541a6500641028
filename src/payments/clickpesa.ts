import { hmacSha256, safeEqual } from '../lib/secrets.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import type { Callback, CallbackHeaders, Created, Observation, Order, PaymentPort } from './port.ts'
import { failureFromProse, freshness } from './port.ts'
import type { Exchange } from './provider-http.ts'
import { exchange, isAnswer, pick, textAt, wholeTzs } from './provider-http.ts'

/**
 * ClickPesa: a token that is bought with two keys, our reference (refused with 409 when used
 * before, which is how a lost create is found again), amounts as strings, a checksum inside the
 * body both ways, no expiry state and no event id.
 */
export function clickpesa(options: ClickpesaOptions): PaymentPort {
  const { clientId, apiKey, checksumKey } = options
  if (clientId === '' || apiKey === '' || checksumKey === '') {
    throw new Error('an empty key signs nothing')
  }
  const line = openLine(options)
  return {
    name: 'clickpesa',
    create: (order) => create(line, checksumKey, order),
    status: (order) => status(line, order),
    readCallback: (rawBody, headers, now) => readCallback(checksumKey, rawBody, headers, now),
  }
}

export type ClickpesaOptions = {
  baseUrl: string
  clientId: string
  apiKey: string
  checksumKey: string
  timeoutMs?: number
}

/** `checksum` and `checksumMethod` are left out of what is signed. */
export function checksumOf(key: string, payload: Record<string, unknown>): string {
  const { checksum: _, checksumMethod: __, ...signed } = payload
  return hmacSha256(key, canonicalJson(signed)).toString('hex')
}

type Line = (method: 'GET' | 'POST', path: string, body?: string) => Promise<Exchange>

const TOKEN_LIFE_MS = 55 * 60_000

/** Calls with a token that is bought once an hour, and once more when it is refused early. */
function openLine(options: ClickpesaOptions): Line {
  const base = options.baseUrl.replace(/\/$/, '')
  const timeoutMs = options.timeoutMs ?? 8_000
  let token: { value: string; untilMs: number } | undefined

  async function buy(): Promise<Exchange | undefined> {
    if (token && token.untilMs > performance.now()) return undefined
    const headers = { 'client-id': options.clientId, 'api-key': options.apiKey }
    const url = `${base}/generate-token`
    const answer = await exchange({ method: 'POST', url, headers, timeoutMs })
    const value = isAnswer(answer) && answer.status === 200 ? pick(answer.json, 'token') : undefined
    if (typeof value !== 'string') return isAnswer(answer) ? { status: 0, reason: 'token' } : answer
    token = { value, untilMs: performance.now() + TOKEN_LIFE_MS }
    return undefined
  }

  return async (method, path, body) => {
    for (let attempt = 1; ; attempt++) {
      const trouble = await buy()
      if (trouble) return trouble
      const headers = {
        authorization: token?.value ?? '',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      }
      const sent = { method, url: base + path, headers, timeoutMs }
      const answer = await exchange(body === undefined ? sent : { ...sent, body })
      if (answer.status !== 401 || attempt > 1) return answer
      token = undefined
    }
  }
}

async function create(line: Line, checksumKey: string, order: Order): Promise<Created> {
  const payload = {
    amount: String(order.amountTzs),
    currency: order.currency,
    orderReference: order.reference,
    phoneNumber: order.phoneNumber.replace('+', ''),
  }
  const body = JSON.stringify({ ...payload, checksum: checksumOf(checksumKey, payload) })
  const answer = await line('POST', '/payments/initiate-ussd-push-request', body)
  if (!isAnswer(answer)) return { kind: 'unknown', reason: answer.reason }
  if (answer.status === 200 || answer.status === 201) return accepted(observed(answer.json, order))
  // The reference is ours alone, so "already used" means that an earlier create arrived.
  if (answer.status === 409) return accepted(await status(line, order))
  if (answer.status === 400 || answer.status === 422) return refused(answer.json)
  return { kind: 'unknown', reason: `status_${answer.status}` }
}

function accepted(observation: Observation): Created {
  if (observation.status === 'unreachable') return { kind: 'unknown', reason: observation.reason }
  if (observation.status === 'not_found') return { kind: 'unknown', reason: 'not_found' }
  return { kind: 'accepted', observation }
}

function refused(json: unknown): Created {
  const code = failureFromProse(pick(json, 'message'))
  return { kind: 'refused', code: code === 'unknown' ? 'rejected' : code }
}

async function status(line: Line, order: Order): Promise<Observation> {
  const answer = await line('GET', `/payments/${encodeURIComponent(order.reference)}`)
  if (!isAnswer(answer)) return { status: 'unreachable', reason: answer.reason }
  if (answer.status === 404) return { status: 'not_found' }
  if (answer.status !== 200) return { status: 'unreachable', reason: `status_${answer.status}` }
  const rows: unknown[] = Array.isArray(answer.json) ? answer.json : [answer.json]
  if (rows.length === 0) return { status: 'not_found' }
  // One reference may list several tries of the payer: a success among them is what counts.
  const seen = rows.map((row) => observed(row, order))
  return seen.find((one) => one.status === 'completed') ?? seen[0]!
}

const STATUS: Record<string, 'pending' | 'completed' | 'failed'> = {
  PROCESSING: 'pending',
  PENDING: 'pending',
  'ON-HOLD': 'pending',
  SUCCESS: 'completed',
  SETTLED: 'completed',
  FAILED: 'failed',
}

function observed(row: unknown, order: Order): Observation {
  const word = textAt(row, 'status') ?? ''
  const status = Object.hasOwn(STATUS, word) ? STATUS[word] : undefined
  if (status === undefined || textAt(row, 'orderReference') !== order.reference) {
    return { status: 'unreachable', reason: 'unreadable_answer' }
  }
  return {
    status,
    amountTzs: wholeTzs(pick(row, 'collectedAmount') ?? pick(row, 'amount')),
    currency: textAt(row, 'collectedCurrency') ?? textAt(row, 'currency'),
    providerRef: undefined, // their id plays no part: the reference is ours
    network: textAt(row, 'channel'),
    failure: status === 'failed' ? failureFromProse(pick(row, 'message')) : undefined,
  }
}

function readCallback(
  checksumKey: string,
  rawBody: Buffer,
  _headers: CallbackHeaders,
  now: Date,
): Callback {
  const event = objectIn(rawBody)
  if (event === undefined) return { authentic: false, reason: 'malformed' }
  const checksum = textAt(event, 'checksum')
  if (checksum === undefined) return { authentic: false, reason: 'signature_missing' }
  if (!safeEqual(checksum.toLowerCase(), checksumOf(checksumKey, event))) {
    return { authentic: false, reason: 'signature_wrong' }
  }
  return hintFrom(pick(event, 'data'), now)
}

/** The signature is inside: what cannot be read, or is nested beyond reason, bears none. */
function objectIn(rawBody: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(rawBody.toString('utf8'))
    canonicalJson(value)
    const plain = typeof value === 'object' && value !== null && !Array.isArray(value)
    return plain ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function hintFrom(data: unknown, now: Date): Callback {
  const stamp = textAt(data, 'updatedAt') ?? textAt(data, 'createdAt')
  const failed = textAt(data, 'status') === 'FAILED'
  // Failures bear no time. They can only make us ask, so they may come without one.
  const untimely =
    stamp === undefined && failed ? undefined : freshness(Date.parse(stamp ?? ''), now)
  if (untimely) return { authentic: false, reason: untimely }
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
