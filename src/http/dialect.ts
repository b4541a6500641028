import { codeOf, Failure, retryMayHelp, type FailureKind } from '../lib/failure.ts'
import { LONGEST_WAIT_S, messagesError, messagesStatus } from './messages-failure.ts'
import type { Dialect } from './route.ts'

/** A failure as it is sent. */
export type FailureAnswer = { status: number; headers: Record<string, string>; body: string }

/** A failure as a whole answer. A `status` is given only where the table has none that fits. */
export function renderFailure(
  failure: Failure,
  dialect: Dialect,
  requestId: string,
  status: number = statusOf(failure.kind, dialect),
): FailureAnswer {
  const row = FAILURES[failure.kind]
  // SDKs try 409 and every 5xx again by themselves, and some clients whatever they do not know.
  const stop = retryMayHelp(failure.kind) ? undefined : { 'x-should-retry': 'false' }
  const headers: Record<string, string> = { ...row.headers, ...stop, ...failure.headers }
  const retryAfterS = failure.retryAfterS ?? row.retryAfterS
  const longestS = dialect === 'messages' ? LONGEST_WAIT_S : LONGEST_S
  if (retryAfterS !== undefined) headers['retry-after'] = sanitised(retryAfterS, longestS)
  return { status, headers, body: failureJson(failure, dialect, requestId, status) }
}

/** An error inside an answer that has begun: its status and headers are sent already. */
export function renderInterruption(error: unknown, dialect: Dialect, requestId: string): string {
  const failure =
    error instanceof Failure
      ? error
      : new Failure('upstream_failed', 'The answer was interrupted and is not charged.')
  return failureJson(failure, dialect, requestId, statusOf(failure.kind, dialect))
}

/** The one place where errors become bytes. */
function failureJson(
  failure: Failure,
  dialect: Dialect,
  requestId: string,
  status: number,
): string {
  if (dialect === 'compatible') return JSON.stringify({ error: compatibleError(failure) })
  if (dialect === 'messages') {
    return JSON.stringify(messagesError(failure, publicMessage(failure), requestId))
  }
  return JSON.stringify({
    status: 'error',
    code: status,
    error_code: FAILURES[failure.kind].errorCode,
    message: publicMessage(failure),
    request_id: requestId,
    ...failure.credits,
    error: dialect === 'both' ? compatibleError(failure) : undefined,
  })
}

/** The object that OpenAI's clients read. */
function compatibleError(failure: Failure) {
  const row = FAILURES[failure.kind]
  return {
    message: publicMessage(failure),
    type: row.type,
    param: failure.param?.slice(0, LONGEST_PARAM) ?? null,
    code: codeOf(failure),
    ...failure.credits,
    ...(isSilent(failure.kind) && { metadata: { error_type: 'invalid_request_error' } }),
  }
}

/** LiteLLM goes by these words, wherever they stand, and tries again what has another status. */
function isSilent(kind: FailureKind): boolean {
  return !retryMayHelp(kind) && !TELLING.has(FAILURES[kind].status)
}

/** By these every client knows that it must not try again. */
const TELLING: ReadonlySet<number> = new Set([400, 401, 404])

/** Whatever was thrown, as a Failure. What is not one already is a bug of ours: `internal`. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  return new Failure('internal', 'Something went wrong on our side.', { cause: error })
}

/** Also sent to callers who must not learn that a route exists. */
export function nothingHere(hint = 'The API reference is at /docs.'): Failure {
  return new Failure('not_found', `There is nothing at this address. ${hint}`)
}

export function statusOf(kind: FailureKind, dialect: Dialect): number {
  return dialect === 'messages' ? messagesStatus(kind) : FAILURES[kind].status
}

type FailureRow = {
  status: number
  errorCode: string
  type: string
  headers?: Record<string, string>
  retryAfterS?: number
}

const BEARER = { 'www-authenticate': 'Bearer' }

const FAILURES: Record<FailureKind, FailureRow> = {
  invalid: row(400, 'validation_error', 'invalid_request_error'),
  unsuitable: row(400, 'invalid_request_error', 'invalid_request_error'),
  otp_invalid: row(400, 'otp_invalid', 'invalid_request_error'),
  otp_expired: row(400, 'otp_expired', 'invalid_request_error'),
  unauthorized: {
    ...row(401, 'unauthorized', 'unauthorized'),
    headers: BEARER,
  },
  invalid_credentials: {
    ...row(401, 'invalid_credentials', 'unauthorized'),
    headers: BEARER,
  },
  insufficient: row(402, 'insufficient_credits', 'insufficient_quota'),
  forbidden: row(403, 'forbidden', 'forbidden'),
  second_factor_missing: row(403, 'second_factor_required', 'forbidden'),
  not_found: row(404, 'not_found', 'not_found'),
  method_not_allowed: row(405, 'method_not_allowed', 'invalid_request_error'),
  too_slow: {
    ...row(408, 'invalid_request_error', 'invalid_request_error'),
    headers: { connection: 'close' },
  },
  conflict: row(409, 'conflict', 'conflict'),
  idempotency_conflict: row(409, 'idempotency_conflict', 'idempotency_conflict'),
  gone: row(410, 'gone', 'gone'),
  too_large: row(413, 'invalid_request_error', 'invalid_request_error'),
  rate_limited: {
    ...row(429, 'rate_limited', 'rate_limit_exceeded'),
    retryAfterS: 1,
  },
  internal: row(500, 'internal_error', 'internal_error'),
  upstream_failed: row(502, 'server_error', 'server_error'),
  upstream_rejected: row(502, 'server_error', 'server_error'),
  unavailable: {
    ...row(503, 'server_error', 'server_error'),
    retryAfterS: 2,
  },
}

function row(status: number, errorCode: string, type: string): FailureRow {
  return { status, errorCode, type }
}

const LONGEST_MESSAGE = 500
/** A field may be named by a key that the caller made up. */
const LONGEST_PARAM = 200

function publicMessage(failure: Failure): string {
  return failure.message.length > LONGEST_MESSAGE
    ? `${failure.message.slice(0, LONGEST_MESSAGE)}…`
    : failure.message
}

const LONGEST_S = 86_400

/** Always whole seconds, from one up. An upstream's are an hour at most. */
function sanitised(seconds: number, longestS: number): string {
  const whole = Number.isFinite(seconds) ? Math.ceil(seconds) : 1
  return String(Math.min(longestS, Math.max(1, whole)))
}
