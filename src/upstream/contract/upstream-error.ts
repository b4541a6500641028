import { Failure, promptTooLong } from '../../lib/failure.ts'
import { fieldIn, shownField, shownReason, type ReasonContext } from './shown-reason.ts'
import type { UsageReading } from './usage.ts'

/*
 * An error of an upstream is read three times, all of them here:
 *   UpstreamError   what happened on the wire
 *   ErrorCategory   what that means: for the upstream's health, and for whom to ask next
 *   Failure         what the caller is told
 */

export type UpstreamErrorKind =
  | 'refused' // no connection: refused, no such host, TLS
  | 'timeout'
  | 'reset' // the connection broke
  | 'garbage' // not an answer in this provider's format
  | 'too_large'
  | 'redirect'
  | 'status' // an error status, or an error reported inside a 200
  | 'aborted' // closed by our side

/** Private, for the log and for routing: without URL and key, never shown. */
export class UpstreamError extends Error {
  readonly kind: UpstreamErrorKind
  /** `connect`, `first_byte`, `idle`, `total` of a time-out; else a short word. */
  readonly at: string
  constructor(kind: UpstreamErrorKind, at: string) {
    super(`${kind}: ${at}`)
    this.name = 'UpstreamError'
    this.kind = kind
    this.at = at
  }
}

/** `body` is the upstream's answer, parsed if JSON; never shown. */
export class StatusError extends UpstreamError {
  readonly status: number
  readonly body: unknown
  /** Within 1 to 3600. */
  readonly retryAfterS: number | undefined
  constructor(status: number, body?: unknown, retryAfterS?: number) {
    super('status', String(status))
    this.status = status
    this.body = body
    this.retryAfterS = retryAfterS
  }
}

/**
 * An answer that was made, and is billed, but cannot be used. Nobody else is asked for it, it is no
 * sample of health, and what it came to is counted in the account's allowance.
 */
export class RefusedAnswer extends UpstreamError {
  readonly why: UpstreamError
  readonly usage: UsageReading
  constructor(why: UpstreamError, usage: UsageReading) {
    super(why.kind, why.at)
    this.why = why
    this.usage = usage
  }
}

export type ErrorCategory =
  // the caller's request; no other upstream is tried
  | ({ kind: 'rejected'; why: RejectedWhy; keeps400?: boolean } & Said)
  | ({ kind: 'missing' } & Said) // this upstream does not know the model or the thing
  | { kind: 'account'; why: AccountWhy } // our key or our money there
  | { kind: 'rate_limited'; retryAfterS: number | undefined }
  | { kind: 'overloaded'; retryAfterS: number | undefined }
  | { kind: 'oversized' } // the answer is larger than the caller may have
  | { kind: 'refused' } // an answer was made that cannot be used
  | { kind: 'failed' }
  | { kind: 'aborted' }

/** What a caller may know of a refusal: its reason, and the field of theirs that it names. */
type Said = { reason?: string | undefined; field?: string | undefined }

export type RejectedWhy =
  | 'request'
  | 'context_length'
  | 'content_policy'
  | 'image'
  | 'payload'
  | 'gone'
export type AccountWhy = 'key_refused' | 'out_of_money' | 'forbidden'

type ErrorReader = {
  classify(error: StatusError): ErrorCategory
  errorMessage(error: StatusError): string | undefined
  errorField?(error: StatusError): string | undefined
}

/** The provider reads its error bodies; the call says what counts as gone or oversized. */
export function classifyError(
  error: UpstreamError,
  provider: ErrorReader,
  call: {
    gone?: readonly number[] | undefined
    overflow?: 'caller' | undefined
    keeps400?: boolean | undefined
  },
  context: ReasonContext = { names: [] },
): ErrorCategory {
  if (error instanceof RefusedAnswer) {
    const category = classifyError(error.why, provider, call, context)
    return category.kind === 'failed' ? { kind: 'refused' } : category
  }
  if (error instanceof StatusError) {
    if (call.gone?.includes(error.status)) return { kind: 'rejected', why: 'gone' }
    const category = provider.classify(error)
    if (category.kind !== 'rejected' && category.kind !== 'missing') return category
    const said = provider.errorMessage(error) ?? ''
    const reason = shownReason(said, context)
    const field = shownField(provider.errorField?.(error), context) ?? fieldIn(said, context)
    const keeps400 = call.keeps400 === true && error.status === 400
    return {
      ...category,
      reason,
      field,
      ...(keeps400 && category.kind === 'rejected' && { keeps400 }),
    }
  }
  if (error.kind === 'aborted') return { kind: 'aborted' }
  if (error.kind === 'too_large' && call.overflow === 'caller') return { kind: 'oversized' }
  return { kind: 'failed' }
}

/** An upstream `aborted` a stream because our reader was too slow. */
export const SLOW_READER = 'slow_reader'

export function causedByReader(error: unknown): boolean {
  const cause = error instanceof Failure ? error.cause : undefined
  return cause instanceof UpstreamError && cause.at === SLOW_READER
}

/** It is the upstream's failure, and not our refusal of what it made. */
export function hasBrokenOff(error: unknown): boolean {
  const cause = error instanceof Failure ? error.cause : undefined
  return cause instanceof UpstreamError && !(cause instanceof RefusedAnswer)
}

/** What the upstream reported of an answer that we refuse. */
export function refusedUsage(error: unknown): UsageReading | undefined {
  const cause = error instanceof Failure ? error.cause : undefined
  return cause instanceof RefusedAnswer ? cause.usage : undefined
}

/**
 * No other upstream is asked: it is the caller's request, the caller has left, or the work was done.
 */
export function isFinal({ kind }: ErrorCategory): boolean {
  return kind === 'rejected' || kind === 'oversized' || kind === 'refused' || kind === 'aborted'
}

/** What the caller is told. The cause is private and goes to the log. */
export function failureOf(category: ErrorCategory, cause: UpstreamError): Failure {
  switch (category.kind) {
    case 'rejected':
      return rejected(category, cause)
    case 'missing':
      return notAccepted('The model did not accept this request', category, cause)
    case 'rate_limited':
      return rateLimited(category.retryAfterS, cause)
    case 'overloaded':
      return unavailable(category.retryAfterS, cause)
    case 'oversized':
      return new Failure('too_large', 'The generated answer is larger than the limit.', { cause })
    case 'refused':
      return new Failure('upstream_failed', UNUSABLE, { cause })
    default:
      return new Failure('upstream_failed', 'The model could not be reached. Try again.', { cause })
  }
}

/** Of a stream that broke after it had begun. */
export function brokenOff(category: ErrorCategory, cause: UpstreamError): Failure {
  const { kind } = category
  if (kind !== 'failed' && kind !== 'refused') return failureOf(category, cause)
  return new Failure('upstream_failed', kind === 'failed' ? BROKE_OFF : NO_END, { cause })
}

const BROKE_OFF =
  'The answer broke off before its end: the connection to the model was lost. It is not charged. ' +
  'Try again.'
const NO_END =
  'The rest of the answer cannot be used: it broke off, or is in no known format. It is not ' +
  'charged. Try again.'
const UNUSABLE = 'The model gave an answer that cannot be used. It is not charged.'

/**
 * The upstream may have accepted the request in spite of the failure: then only the same one may be
 * asked again, with the same idempotency key.
 */
export function maybeAccepted({ cause }: Failure): boolean {
  return cause instanceof UpstreamError && !NEVER_ACCEPTED.has(cause.kind)
}

const NEVER_ACCEPTED: ReadonlySet<UpstreamErrorKind> = new Set(['refused', 'status', 'redirect'])

const DEFAULT_RETRY_S = 5

export function rateLimited(retryAfterS = DEFAULT_RETRY_S, cause?: UpstreamError): Failure {
  const message = 'The model is receiving too many requests. Try again later.'
  return new Failure('rate_limited', message, { retryAfterS, cause })
}

export function unavailable(retryAfterS = DEFAULT_RETRY_S, cause?: UpstreamError): Failure {
  const message = 'The model is not available at the moment. Try again later.'
  return new Failure('unavailable', message, { retryAfterS, cause })
}

type Rejection = Extract<ErrorCategory, { kind: 'rejected' }>

function rejected(rejection: Rejection, cause: UpstreamError): Failure {
  const { why, keeps400, reason, field: param } = rejection
  switch (why) {
    case 'context_length':
      return promptTooLong('unsuitable', { cause })
    case 'content_policy':
      return new Failure('unsuitable', 'The request was declined by a content policy.', {
        code: 'content_policy_violation',
        cause,
      })
    case 'gone':
      return new Failure('gone', 'The content is no longer available.', { cause })
    case 'image':
      return notAccepted('The model could not use an image in this request', rejection, cause)
    case 'payload':
      return notAccepted('The request is too large for the model', rejection, cause)
    default:
      // By the very words of a 400 some clients know what to change.
      return keeps400 && reason !== undefined
        ? new Failure('unsuitable', reason, { param, cause })
        : notAccepted('The model did not accept this request', rejection, cause)
  }
}

function notAccepted(what: string, { reason, field }: Said, cause: UpstreamError): Failure {
  const message = reason === undefined ? `${what}.` : `${what}: ${reason}`
  return new Failure('upstream_rejected', message, { param: field, cause })
}
