import { Failure } from '../../lib/failure.ts'

const MESSAGE = /^messages(?:\[(\d+)\])?/

/**
 * A failure of a chat that was made of a request in another dialect, told in the fields of that
 * request: `places` has one for each message, `rest` is for what is wrong with all of them.
 */
export function inCallersFields(error: unknown, places: readonly string[], rest: string): unknown {
  if (!(error instanceof Failure) || error.param === undefined) return error
  const { kind, param, message, code, retryAfterS, headers, cause } = error
  const found = MESSAGE.exec(param)
  if (found === null) return error
  const field = places[Number(found[1] ?? -1)] ?? rest
  const told = message.startsWith(param) ? field + message.slice(param.length) : message
  return new Failure(kind, told, { param: field, code, retryAfterS, headers, cause })
}
