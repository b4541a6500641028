import { Failure } from '../lib/failure.ts'

/**
 * The database away, too slow, out of room or in a deadlock: the caller may try again soon, so it
 * becomes `unavailable`. Anything else (a broken constraint, wrong SQL) stays what it is.
 */
export function asFailure(error: unknown): unknown {
  if (!isTrouble(error)) return error
  return new Failure('unavailable', 'The service is briefly unavailable. Please try again.', {
    retryAfterS: 2,
    cause: error,
  })
}

const SYSTEM = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOENT', // the server's unix socket is not there
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

const SQLSTATE = new Set([
  '25006', // read only: a fail-over under way
  '25P03', // idle in transaction for too long
  '40001', // serialization
  '40P01', // deadlock
  '55P03', // lock time-out
  '57014', // statement time-out
  '57P01',
  '57P02',
  '57P03',
  '57P05',
])

/** Errors of the driver itself bear no code. */
const WORDS =
  /connection terminated|connection ended|timeout exceeded when trying to connect|connection timeout|query read timeout|not queryable|client was closed|connection error/i

function isTrouble(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof Failure) return false
  if (error instanceof AggregateError) return error.errors.some(isTrouble)
  const code = (error as { code?: unknown }).code
  if (typeof code !== 'string') return WORDS.test(error.message)
  return SYSTEM.has(code) || SQLSTATE.has(code) || /^(08|53)/.test(code)
}
