import { codeOf, type Failure, type FailureKind } from '../lib/failure.ts'

/*
 * Errors as Anthropic's clients read them. What makes each client stop, wait, shorten its context or
 * try again is in the status, the type and two headers.
 */

/** Above this, Claude Code gives up instead of waiting. */
export const LONGEST_WAIT_S = 60

export function messagesStatus(kind: FailureKind): number {
  return ROWS[kind].status
}

export function messagesError(failure: Failure, message: string, requestId: string) {
  const { type } = ROWS[failure.kind]
  const code = codeOf(failure) ?? undefined
  const error = { type, message, code, ...failure.credits }
  return { type: 'error', error, request_id: requestId }
}

type Row = { status: number; type: string }

const ROWS: Record<FailureKind, Row> = {
  invalid: { status: 400, type: 'invalid_request_error' },
  unsuitable: { status: 400, type: 'invalid_request_error' },
  otp_invalid: { status: 400, type: 'invalid_request_error' },
  otp_expired: { status: 400, type: 'invalid_request_error' },
  unauthorized: { status: 401, type: 'authentication_error' },
  invalid_credentials: { status: 401, type: 'authentication_error' },
  insufficient: { status: 402, type: 'billing_error' },
  forbidden: { status: 403, type: 'permission_error' },
  second_factor_missing: { status: 403, type: 'permission_error' },
  not_found: { status: 404, type: 'not_found_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  too_slow: { status: 408, type: 'invalid_request_error' },
  conflict: { status: 409, type: 'conflict_error' },
  idempotency_conflict: { status: 409, type: 'conflict_error' },
  gone: { status: 410, type: 'not_found_error' },
  too_large: { status: 413, type: 'request_too_large' },
  rate_limited: { status: 429, type: 'rate_limit_error' },
  internal: { status: 500, type: 'api_error' },
  upstream_failed: { status: 502, type: 'api_error' },
  upstream_rejected: { status: 502, type: 'invalid_request_error' },
  unavailable: { status: 529, type: 'overloaded_error' },
}
