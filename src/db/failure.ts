import { Failure } from '../lib/failure.ts'

/**
 * The database away, too slow, out of room or in a deadlock: the caller may try again soon, so it
 * becomes `unavailable`. Anything else (a broken constraint, wrong SQL) stays what it is.
 */
export function databaseFailure(error: unknown): unknown {
  if (!isTemporary(error)) return error
  return new Failure('unavailable', 'The service is briefly unavailable. Please try again.', {
    retryAfterS: 2,
    cause: error,
  })
}

/**
 * For `.catch`: throws the error as what the caller should see. The driver's own stack leads to its
 * socket; this one leads to whoever asked.
 */
export function rethrow(error: unknown): never {
  if (error instanceof Error) Error.captureStackTrace(error, rethrow)
  throw databaseFailure(error)
}

/** The code of an error, PostgreSQL's own or the system's. */
export function errorCodeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : undefined
}

/** The connection itself is gone or mute; nothing more can be sent on it. */
export function isLost(error: unknown): boolean {
  if (error instanceof Failure) return isLost(error.cause)
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isLost)
  const code = errorCodeOf(error)
  return code === undefined ? DRIVER_MESSAGE.test(error.message) : SYSTEM.has(code)
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

/** Errors of the driver itself have no code. */
const DRIVER_MESSAGE =
  /connection terminated|connection ended|timeout exceeded when trying to connect|connection timeout|not queryable|client was closed|connection error/i

function isTemporary(error: unknown): boolean {
  if (error instanceof Failure) return false
  const code = errorCodeOf(error)
  if (code !== undefined && (SQLSTATE.has(code) || /^(08|53)/.test(code))) return true
  return isLost(error)
}
