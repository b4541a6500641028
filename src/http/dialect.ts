import type { Failure, FailureKind } from '../lib/failure.ts'
import type { Dialect } from './route.ts'

/** What a failure looks like on the wire. */
export type FailureAnswer = { status: number; headers: Record<string, string>; body: string }

/** The one place that turns a failure into a status and a body. */
export function renderFailure(
  failure: Failure,
  dialect: Dialect,
  requestId: string,
): FailureAnswer {
  const row = FAILURES[failure.kind]
  const headers: Record<string, string> = { ...row.headers, ...failure.headers }
  const retryAfterS = failure.retryAfterS ?? row.retryAfterS
  if (retryAfterS !== undefined) headers['retry-after'] = sanitised(retryAfterS)
  const body =
    dialect === 'compatible'
      ? { error: compatibleError(failure) }
      : {
          status: 'error',
          code: row.status,
          error_code: row.errorCode,
          message: publicMessage(failure),
          request_id: requestId,
          ...(dialect === 'both' ? { error: compatibleError(failure) } : {}),
        }
  return { status: row.status, headers, body: JSON.stringify(body) }
}

/** The object that OpenAI's clients read. */
function compatibleError(failure: Failure): {
  message: string
  type: string
  param: string | null
  code: string | null
} {
  const row = FAILURES[failure.kind]
  return {
    message: publicMessage(failure),
    type: row.type,
    param: failure.param ?? null,
    code: failure.code ?? row.code,
  }
}

export function statusOf(kind: FailureKind): number {
  return FAILURES[kind].status
}

type FailureRow = {
  status: number
  errorCode: string
  type: string
  code: string | null
  headers?: Record<string, string>
  retryAfterS?: number
}

const BEARER = { 'www-authenticate': 'Bearer' }

const FAILURES: Record<FailureKind, FailureRow> = {
  invalid: row(400, 'validation_error', 'invalid_request_error', null),
  unsuitable: row(400, 'invalid_request_error', 'invalid_request_error', null),
  otp_invalid: row(400, 'otp_invalid', 'invalid_request_error', 'otp_invalid'),
  otp_expired: row(400, 'otp_expired', 'invalid_request_error', 'otp_expired'),
  unauthorized: {
    ...row(401, 'unauthorized', 'unauthorized', 'invalid_api_key'),
    headers: BEARER,
  },
  invalid_credentials: {
    ...row(401, 'invalid_credentials', 'unauthorized', 'invalid_credentials'),
    headers: BEARER,
  },
  insufficient: row(402, 'insufficient_credits', 'insufficient_quota', 'insufficient_quota'),
  forbidden: row(403, 'forbidden', 'forbidden', 'forbidden'),
  not_found: row(404, 'not_found', 'not_found', 'not_found'),
  method_not_allowed: row(405, 'method_not_allowed', 'invalid_request_error', 'method_not_allowed'),
  conflict: row(409, 'conflict', 'conflict', 'conflict'),
  idempotency_conflict: row(
    409,
    'idempotency_conflict',
    'idempotency_conflict',
    'idempotency_conflict',
  ),
  gone: row(410, 'gone', 'gone', 'gone'),
  too_large: row(413, 'invalid_request_error', 'invalid_request_error', 'payload_too_large'),
  rate_limited: {
    ...row(429, 'rate_limited', 'rate_limit_exceeded', 'rate_limit_exceeded'),
    retryAfterS: 1,
  },
  internal: row(500, 'internal_error', 'internal_error', 'internal_error'),
  upstream_failed: row(502, 'server_error', 'server_error', 'upstream_error'),
  upstream_rejected: {
    ...row(502, 'server_error', 'server_error', 'upstream_rejected'),
    // SDKs retry every 5xx; this one would be refused again.
    headers: { 'x-should-retry': 'false' },
  },
  unavailable: {
    ...row(503, 'server_error', 'server_error', 'upstream_unavailable'),
    retryAfterS: 2,
  },
}

function row(status: number, errorCode: string, type: string, code: string | null): FailureRow {
  return { status, errorCode, type, code }
}

const LONGEST_MESSAGE = 500

function publicMessage(failure: Failure): string {
  return failure.message.length > LONGEST_MESSAGE
    ? `${failure.message.slice(0, LONGEST_MESSAGE)}…`
    : failure.message
}

/** Some come from upstreams: whole seconds between one second and one hour, whatever they said. */
function sanitised(seconds: number): string {
  const whole = Number.isFinite(seconds) ? Math.ceil(seconds) : 1
  return String(Math.min(3600, Math.max(1, whole)))
}
