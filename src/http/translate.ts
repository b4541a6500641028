import { Failure } from '../lib/failure.ts'

/** Whatever was thrown, as a failure of ours. What is nobody's mistake but ours is `internal`. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown }
  if (typeof code === 'string' && code.startsWith('FST_')) {
    if (code === 'FST_ERR_BAD_URL') {
      return new Failure('invalid', 'The address contains a malformed percent escape.')
    }
    if (code === 'FST_ERR_MAX_PARAM_LENGTH') {
      return new Failure('not_found', 'There is no such resource.')
    }
    if (statusCode === 413) return new Failure('too_large', 'The request body is too large.')
    if (typeof statusCode === 'number' && statusCode < 500) {
      return new Failure('invalid', 'The request could not be read. Check its headers and body.')
    }
  }
  return new Failure('internal', 'Something went wrong on our side.', { cause: error })
}
