import type { Exchange, Json } from '../exchange.ts'

/** `{error: {code, message, metadata}}`, with the status repeated in `code`. */
export class Refusal extends Error {
  readonly status: number
  readonly headers: Record<string, string>
  readonly metadata: Json | undefined

  constructor(status: number, message: string, more: RefusalOptions = {}) {
    super(message)
    this.status = status
    this.headers = more.headers ?? {}
    this.metadata = more.metadata
  }
}

export type RefusalOptions = { headers?: Record<string, string>; metadata?: Json }

export function sendRefusal(exchange: Exchange, refusal: Refusal): void {
  const native = exchange.entry.route.startsWith('/messages')
  exchange.res.writeHead(refusal.status, {
    'content-type': 'application/json',
    ...refusal.headers,
  })
  exchange.res.end(JSON.stringify(native ? anthropicRefusal(refusal) : openRefusal(refusal)))
}

function openRefusal({ status, message, metadata }: Refusal): Json {
  const error: Json = { message, code: status }
  if (metadata !== undefined) error.metadata = metadata
  return { error, user_id: 'org_simulator' }
}

const ANTHROPIC_TYPES: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

function anthropicRefusal({ status, message }: Refusal): Json {
  const type = ANTHROPIC_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  return { type: 'error', error: { type, message }, request_id: 'req_simulator' }
}

/** The refusals that a fault asks for, worded as the real ones: with a provider's name in them. */
export function refusalOf(name: string, amount: number | undefined): Refusal | undefined {
  const metadata = { provider_name: 'SimProvider', raw: 'https://provider.sim/v1 said no' }
  if (name === '429') return tooMany(amount === undefined ? undefined : String(amount))
  if (name in RETRY_AFTER) return tooMany(RETRY_AFTER[name]!())
  if (name === 'context-length') {
    return new Refusal(400, "This endpoint's maximum context length is 4096 tokens.", {
      metadata: { ...metadata, error_type: 'context_length_exceeded' },
    })
  }
  if (name === 'bad-field') {
    return new Refusal(400, BAD_FIELD, { metadata: { ...metadata, error_type: 'invalid_request' } })
  }
  if (name === 'content-policy') {
    return new Refusal(400, 'SimProvider refused this prompt by its policy.', {
      metadata: { ...metadata, error_type: 'content_policy_violation' },
    })
  }
  if (name === 'moderation') {
    return new Refusal(403, 'Your input was flagged', {
      metadata: { ...metadata, reasons: ['violence'], flagged_input: 'the prompt' },
    })
  }
  if (name !== 'status' || amount === undefined) return undefined
  return new Refusal(amount, `SimProvider at https://provider.sim answered ${amount}`, {
    metadata: { ...metadata, error_type: ERROR_TYPES[amount] ?? 'server' },
    headers: amount === 503 ? { 'retry-after': '3' } : {},
  })
}

const BAD_FIELD =
  "Invalid value for 'messages[0].content' at SimProvider (request req_9f8E7d6C5b, key sk-sim-1234): " +
  'expected a string. See https://provider.sim/docs'

function tooMany(retryAfter: string | undefined): Refusal {
  return new Refusal(429, 'Rate limit exceeded at SimProvider', {
    metadata: { error_type: 'rate_limit_exceeded', provider_name: 'SimProvider' },
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  })
}

const RETRY_AFTER: Record<string, () => string> = {
  '429-date': () => new Date(Date.now() + 7_000).toUTCString(),
  '429-minus': () => '-1',
  '429-huge': () => '9999999999',
}

const ERROR_TYPES: Record<number, string> = {
  400: 'invalid_request',
  401: 'authentication',
  402: 'payment_required',
  403: 'permission_denied',
  404: 'not_found',
  408: 'timeout',
  413: 'payload_too_large',
  422: 'unprocessable',
  429: 'rate_limit_exceeded',
  502: 'provider_unavailable',
  503: 'provider_unavailable',
  524: 'timeout',
  529: 'provider_overloaded',
}
