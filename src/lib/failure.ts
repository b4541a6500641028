/** Everything that can end a request. `http/dialect.ts` turns a kind into a status and a body. */
export type FailureKind =
  | 'invalid' // the shape of a body, query, header or path
  | 'unsuitable' // well-formed, but makes no sense for this model
  | 'otp_invalid'
  | 'otp_expired'
  | 'unauthorized'
  | 'invalid_credentials'
  | 'insufficient'
  | 'forbidden'
  | 'second_factor_missing' // 403: the same call works once the second factor is given
  | 'not_found'
  | 'method_not_allowed'
  | 'too_slow' // 408: the body did not arrive in time
  | 'conflict'
  | 'idempotency_conflict'
  | 'gone'
  | 'too_large'
  | 'rate_limited'
  | 'internal'
  | 'upstream_failed' // 502: an upstream failed, or refused our account
  | 'upstream_rejected' // 502: an upstream refused this very request; a retry cannot help
  | 'unavailable' // 503: overload, every circuit open, the database away

export type MissingCredits = { available: number; needed: number }

export type FailureOptions = {
  /** The offending field, for people and for the compatible object's `param`. */
  param?: string | undefined
  /** A finer code for the compatible object, such as `context_length_exceeded`. */
  code?: string | undefined
  retryAfterS?: number | undefined
  /** What is there and what is needed, where it is not enough. */
  credits?: MissingCredits | undefined
  headers?: Record<string, string> | undefined
  /** The credential that was sent is none of ours, nor was it: somebody may be guessing. */
  madeUp?: boolean | undefined
  /** Private: goes to the log, never to the caller. */
  cause?: unknown
}

/** The message is public and names no provider, address or secret; the cause is private. */
export class Failure extends Error {
  readonly kind: FailureKind
  readonly param: string | undefined
  readonly code: string | undefined
  readonly retryAfterS: number | undefined
  readonly credits: MissingCredits | undefined
  readonly headers: Record<string, string>
  readonly madeUp: boolean
  /** No upstream did the work: another model may be asked for it. Set where upstreams are asked. */
  unanswered = false

  constructor(kind: FailureKind, message: string, options: FailureOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'Failure'
    this.kind = kind
    this.param = options.param
    this.code = options.code
    this.retryAfterS = options.retryAfterS
    this.credits = options.credits
    this.headers = options.headers ?? {}
    this.madeUp = options.madeUp ?? false
  }
}

/**
 * The code by which programs tell failures apart: in an answer and, for a paid call, in its record.
 * Null where the type of the error says it all.
 */
export function codeOf({ code, kind }: Failure): string | null {
  return code ?? CODES[kind]
}

/** The very same request may succeed in a moment. Of every other failure clients are told to stop. */
export function retryMayHelp(kind: FailureKind): boolean {
  return PASSING.has(kind)
}

const PASSING: ReadonlySet<FailureKind> = new Set([
  'too_slow',
  'idempotency_conflict',
  'rate_limited',
  'internal',
  'upstream_failed',
  'unavailable',
])

const CODES: Record<FailureKind, string | null> = {
  invalid: null,
  unsuitable: null,
  otp_invalid: 'otp_invalid',
  otp_expired: 'otp_expired',
  unauthorized: 'invalid_api_key',
  invalid_credentials: 'invalid_credentials',
  insufficient: 'insufficient_quota',
  forbidden: 'forbidden',
  second_factor_missing: 'second_factor_required',
  not_found: 'not_found',
  method_not_allowed: 'method_not_allowed',
  too_slow: 'request_timeout',
  conflict: 'conflict',
  idempotency_conflict: 'idempotency_conflict',
  gone: 'gone',
  too_large: 'payload_too_large',
  rate_limited: 'rate_limit_exceeded',
  internal: 'internal_error',
  upstream_failed: 'upstream_error',
  upstream_rejected: 'upstream_rejected',
  unavailable: 'upstream_unavailable',
}

/** The same failure of a field that its caller knows by another name. */
export function renamed(failure: Failure, param: string): Failure {
  const { kind, message, param: before = '', code, retryAfterS, credits, headers, cause } = failure
  const text = before === '' ? message : message.replace(before, () => param)
  const told = new Failure(kind, text, { param, code, retryAfterS, credits, headers, cause })
  told.unanswered = failure.unanswered
  return told
}

/** A field of a request that is wrong: the message begins with its name, and `param` is it. */
export function invalidField(field: string, why: string): Failure {
  return new Failure('invalid', `${field} ${why}.`, { param: field })
}

/** Each client searches for one of these phrases, and shortens the conversation by itself. */
const TOO_LONG =
  "prompt is too long: it is longer than the model's context length " +
  '(context_length_exceeded). Shorten it, or use a model that reads more.'

export function promptTooLong(kind: FailureKind, options: FailureOptions = {}): Failure {
  return new Failure(kind, TOO_LONG, { ...options, code: 'context_length_exceeded' })
}
