import { Failure } from '../lib/failure.ts'
import type { RejectedWhy, Trouble } from './contract/fault.ts'

const DEFAULT_RETRY_S = 5

/** What the caller is told, in our words. The cause is private and goes to the log. */
export function failureOf(trouble: Trouble, cause: unknown): Failure {
  switch (trouble.kind) {
    case 'rejected':
      return rejected(trouble.why, cause)
    case 'missing':
      return refusal('The model did not accept this request.', cause)
    case 'rate_limited':
      return rateLimited(trouble.retryAfterS, cause)
    case 'overloaded':
      return unavailable(trouble.retryAfterS, cause)
    case 'oversized':
      return new Failure('too_large', 'The generated answer is larger than the limit.', { cause })
    default:
      return new Failure('upstream_failed', 'The model could not be reached. Try again.', { cause })
  }
}

export function rateLimited(retryAfterS: number | undefined, cause?: unknown): Failure {
  return new Failure('rate_limited', 'The model is receiving too many requests. Try again later.', {
    retryAfterS: retryAfterS ?? DEFAULT_RETRY_S,
    cause,
  })
}

export function unavailable(retryAfterS: number | undefined, cause?: unknown): Failure {
  return new Failure('unavailable', 'The model is not available at the moment. Try again later.', {
    retryAfterS: retryAfterS ?? DEFAULT_RETRY_S,
    cause,
  })
}

function rejected(why: RejectedWhy, cause: unknown): Failure {
  switch (why) {
    case 'context_length':
      return new Failure('unsuitable', "The input is longer than the model's context.", {
        code: 'context_length_exceeded',
        cause,
      })
    case 'content_policy':
      return new Failure('unsuitable', 'The request was declined by a content policy.', {
        code: 'content_policy_violation',
        cause,
      })
    case 'gone':
      return new Failure('gone', 'The content is no longer available.', { cause })
    case 'image':
      return refusal('The model could not use an image of this request.', cause)
    case 'payload':
      return refusal('The request is too large for the model.', cause)
    default:
      return refusal('The model did not accept this request.', cause)
  }
}

/** A retry cannot help, and SDKs would try: the header stops them. */
function refusal(message: string, cause: unknown): Failure {
  return new Failure('upstream_rejected', message, {
    headers: { 'x-should-retry': 'false' },
    cause,
  })
}
