import { Failure } from '../../lib/failure.ts'
import { scrubbed } from './scrub.ts'

/*
 * An error of an upstream is read three times, all of them here:
 *   Fault    what happened on the wire
 *   Trouble  what that means: for the upstream's health, and for whom to ask next
 *   Failure  what the caller is told
 */

export type FaultKind =
  | 'refused' // no connection: refused, no such host, TLS
  | 'timeout'
  | 'reset' // the connection broke
  | 'garbage' // not an answer in this provider's format
  | 'too_large'
  | 'redirect'
  | 'status' // an error status, or an error reported inside a 200
  | 'aborted' // closed by our side

/** Private: for the log and for routing. It carries no URL and no key, and is never shown. */
export class Fault extends Error {
  readonly kind: FaultKind
  /** `connect`, `first_byte`, `idle`, `total` of a time-out; else a short word of ours. */
  readonly at: string
  constructor(kind: FaultKind, at: string) {
    super(`${kind}: ${at}`)
    this.name = 'Fault'
    this.kind = kind
    this.at = at
  }
}

/** `body` is the upstream's answer, parsed if it was JSON. It is foreign text: never shown. */
export class StatusFault extends Fault {
  readonly status: number
  readonly body: unknown
  /** Whole seconds, already brought into 1 to 3600. */
  readonly retryAfterS: number | undefined
  constructor(status: number, body?: unknown, retryAfterS?: number) {
    super('status', String(status))
    this.status = status
    this.body = body
    this.retryAfterS = retryAfterS
  }
}

export type Trouble =
  // the caller's request; no other upstream is tried. `words`: fit to be shown
  | { kind: 'rejected'; why: RejectedWhy; words?: string | undefined }
  | { kind: 'missing' } // this upstream does not know the model or the thing
  | { kind: 'account'; why: AccountWhy } // our key or our money there
  | { kind: 'rate_limited'; retryAfterS: number | undefined }
  | { kind: 'overloaded'; retryAfterS: number | undefined }
  | { kind: 'oversized' } // the answer is larger than the caller may have
  | { kind: 'failed' }
  | { kind: 'aborted' }

export type RejectedWhy =
  | 'request'
  | 'context_length'
  | 'content_policy'
  | 'image'
  | 'payload'
  | 'gone'
export type AccountWhy = 'key_refused' | 'out_of_money' | 'forbidden'

/** What of a provider reads errors. */
type FaultReader = {
  failure(fault: StatusFault): Trouble
  words?(fault: StatusFault): string | undefined
}

/** The provider reads its own error bodies; the call says what it takes for gone or oversized. */
export function troubleOf(
  fault: Fault,
  provider: FaultReader,
  call: {
    gone?: readonly number[] | undefined
    overflow?: 'caller' | undefined
    inTheirWords?: boolean | undefined
  },
): Trouble {
  if (fault instanceof StatusFault) {
    if (call.gone?.includes(fault.status)) return { kind: 'rejected', why: 'gone' }
    const trouble = provider.failure(fault)
    return call.inTheirWords ? withWords(trouble, fault, provider) : trouble
  }
  if (fault.kind === 'aborted') return { kind: 'aborted' }
  if (fault.kind === 'too_large' && call.overflow === 'caller') return { kind: 'oversized' }
  return { kind: 'failed' }
}

/** Where a stream was `aborted` by an upstream that had to wait too long for our reader. */
export const SLOW_READER = 'slow_reader'

/** A stream broke because of whoever reads it, not because of the upstream. */
export function isReaders(error: unknown): boolean {
  const cause = error instanceof Failure ? error.cause : undefined
  return cause instanceof Fault && cause.at === SLOW_READER
}

/** By the wording of a 400 some clients know what to change. */
function withWords(trouble: Trouble, fault: StatusFault, provider: FaultReader): Trouble {
  if (trouble.kind !== 'rejected' || trouble.why !== 'request' || fault.status !== 400) {
    return trouble
  }
  return { ...trouble, words: scrubbed(provider.words?.(fault) ?? '') || undefined }
}

/** No other upstream would do better: it is the caller's request, or the caller has left. */
export function isCallers({ kind }: Trouble): boolean {
  return kind === 'rejected' || kind === 'oversized' || kind === 'aborted'
}

/** Our words for the caller. The fault is the private cause and goes to the log. */
export function failureOf(trouble: Trouble, fault: Fault): Failure {
  switch (trouble.kind) {
    case 'rejected':
      if (trouble.words !== undefined) {
        return new Failure('unsuitable', trouble.words, { cause: fault })
      }
      return rejected(trouble.why, fault)
    case 'missing':
      return refusal('The model did not accept this request.', fault)
    case 'rate_limited':
      return rateLimited(trouble.retryAfterS, fault)
    case 'overloaded':
      return unavailable(trouble.retryAfterS, fault)
    case 'oversized':
      return new Failure('too_large', 'The generated answer is larger than the limit.', {
        cause: fault,
      })
    default:
      return new Failure('upstream_failed', 'The model could not be reached. Try again.', {
        cause: fault,
      })
  }
}

/**
 * After a failure: may the upstream have taken the request all the same? Then only the same
 * upstream may be asked again, with the same idempotency key.
 */
export function maybeAccepted({ cause }: Failure): boolean {
  return cause instanceof Fault && !NEVER_ACCEPTED.has(cause.kind)
}

const NEVER_ACCEPTED: ReadonlySet<FaultKind> = new Set(['refused', 'status', 'redirect'])

const DEFAULT_RETRY_S = 5

export function rateLimited(retryAfterS: number | undefined, cause?: Fault): Failure {
  return new Failure('rate_limited', 'The model is receiving too many requests. Try again later.', {
    retryAfterS: retryAfterS ?? DEFAULT_RETRY_S,
    cause,
  })
}

export function unavailable(retryAfterS: number | undefined, cause?: Fault): Failure {
  return new Failure('unavailable', 'The model is not available at the moment. Try again later.', {
    retryAfterS: retryAfterS ?? DEFAULT_RETRY_S,
    cause,
  })
}

function rejected(why: RejectedWhy, cause: Fault): Failure {
  switch (why) {
    case 'context_length':
      return new Failure(
        'unsuitable',
        "The input is longer than the model's context. Shorten it, or use another model.",
        {
          code: 'context_length_exceeded',
          cause,
        },
      )
    case 'content_policy':
      return new Failure('unsuitable', 'The request was declined by a content policy.', {
        code: 'content_policy_violation',
        cause,
      })
    case 'gone':
      return new Failure('gone', 'The content is no longer available.', { cause })
    case 'image':
      return refusal('The model could not use an image in this request.', cause)
    case 'payload':
      return refusal('The request is too large for the model.', cause)
    default:
      return refusal('The model did not accept this request.', cause)
  }
}

/** A retry cannot help, and SDKs would try: the header stops them. */
function refusal(message: string, cause: Fault): Failure {
  return new Failure('upstream_rejected', message, {
    headers: { 'x-should-retry': 'false' },
    cause,
  })
}
