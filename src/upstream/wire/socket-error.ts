import { UpstreamError } from '../contract/upstream-error.ts'

/**
 * The client library's error as an UpstreamError. Its text may contain an address and is dropped.
 */
export function socketError(error: unknown): UpstreamError {
  if (error instanceof UpstreamError) return error
  const code = codeOf(error)
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return new UpstreamError('timeout', 'connect')
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return new UpstreamError('too_large', 'headers')
  if (error instanceof Error && error.name === 'HTTPParserError')
    return new UpstreamError('garbage', 'http')
  if (NO_CONNECTION.test(code)) return new UpstreamError('refused', code)
  return new UpstreamError('reset', /^[A-Z_0-9]{1,40}$/.test(code) ? code : 'socket')
}

const NO_CONNECTION =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EPROTO|ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  const code = (error as { code?: unknown }).code
  if (typeof code === 'string') return code
  if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0])
  return ''
}
