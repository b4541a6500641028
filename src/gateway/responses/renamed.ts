import { Failure } from '../../lib/failure.ts'

const MESSAGE = /^messages(?:\[(\d+)\])?/

/** A failure of the chat that was made of a request, told in the fields of that request. */
export function renamedFailure(error: unknown, origins: readonly string[]): unknown {
  if (!(error instanceof Failure) || error.param === undefined) return error
  const { kind, param, message, code, retryAfterS, headers, cause } = error
  const found = MESSAGE.exec(param)
  if (found === null) return error
  const field = origins[Number(found[1] ?? -1)] ?? 'input'
  const told = message.startsWith(param) ? field + message.slice(param.length) : message
  return new Failure(kind, told, { param: field, code, retryAfterS, headers, cause })
}
