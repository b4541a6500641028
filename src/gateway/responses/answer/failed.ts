import type { Failure } from '../../../lib/failure.ts'

/**
 * A failure inside a stream, in the words by which clients decide whether to stop, to wait, to
 * shorten the conversation or to try again.
 */
export function failedError(failure: Failure): { code: string; message: string } {
  const { message } = failure
  if (failure.code === 'context_length_exceeded') return { code: failure.code, message }
  switch (failure.kind) {
    case 'insufficient':
      return { code: 'insufficient_quota', message }
    case 'rate_limited':
      return { code: 'rate_limit_exceeded', message: withWait(failure) }
    case 'invalid':
    case 'unsuitable':
    case 'upstream_rejected':
      return { code: 'invalid_prompt', message }
    default:
      return { code: 'server_error', message }
  }
}

const SHORTEST_WAIT_S = 1

/** Clients read the time to wait from these very words. */
function withWait({ message, retryAfterS }: Failure): string {
  return `${message} Please try again in ${retryAfterS ?? SHORTEST_WAIT_S}s.`
}
