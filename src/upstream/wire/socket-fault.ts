import { Fault } from '../contract/fault.ts'

/** What the client library threw, as one of our faults. Its text may hold an address: dropped. */
export function socketFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  const code = codeOf(error)
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    return new Fault('timeout', 'connect')
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return new Fault('too_large', 'headers')
  if (error instanceof Error && error.name === 'HTTPParserError')
    return new Fault('garbage', 'http')
  if (NO_CONNECTION.test(code)) return new Fault('refused', code)
  return new Fault('reset', /^[A-Z_0-9]{1,40}$/.test(code) ? code : 'socket')
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
