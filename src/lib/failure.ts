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

export type FailureOptions = {
  /** The offending field, for people and for the compatible object's `param`. */
  param?: string | undefined
  /** A finer code for the compatible object, such as `context_length_exceeded`. */
  code?: string | undefined
  retryAfterS?: number | undefined
  headers?: Record<string, string> | undefined
  /** Private: goes to the log, never to the caller. */
  cause?: unknown
}

/** The message is public and names no provider, address or secret; the cause is private. */
export class Failure extends Error {
  readonly kind: FailureKind
  readonly param: string | undefined
  readonly code: string | undefined
  readonly retryAfterS: number | undefined
  readonly headers: Record<string, string>

  constructor(kind: FailureKind, message: string, options: FailureOptions = {}) {
    super(message, { cause: options.cause })
    this.name = 'Failure'
    this.kind = kind
    this.param = options.param
    this.code = options.code
    this.retryAfterS = options.retryAfterS
    this.headers = options.headers ?? {}
  }
}

/** A field of a request that is wrong: the message begins with its name, and `param` is it. */
export function invalidField(field: string, why: string): Failure {
  return new Failure('invalid', `${field} ${why}.`, { param: field })
}
