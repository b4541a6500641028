import { Failure } from '../../lib/failure.ts'
import { sha256 } from '../../lib/secrets.ts'

/* What the other dialects need to be read as chats. */

/** The field that limits an answer: newer models of OpenAI's take only the newer name; most others know the older one. */
export function limitField({
  supportedParameters,
}: {
  supportedParameters: readonly string[]
}): 'max_tokens' | 'max_completion_tokens' {
  const knows = (name: string) => supportedParameters.includes(name)
  return knows('max_completion_tokens') && !knows('max_tokens')
    ? 'max_completion_tokens'
    : 'max_tokens'
}

const MESSAGE = /^messages(?:\[(\d+)\])?/

/**
 * A failure that names a field of the chat names the field of the caller's request instead. `places`
 * has the field of each message; `rest` is for what is wrong with all of them.
 */
export function inCallersFields(error: unknown, places: readonly string[], rest: string): unknown {
  if (!(error instanceof Failure) || error.param === undefined) return error
  const { kind, param, message, code, retryAfterS, headers, cause } = error
  const found = MESSAGE.exec(param)
  if (found === null) return error
  const field = places[Number(found[1] ?? -1)] ?? rest
  const text = message.startsWith(param) ? field + message.slice(param.length) : message
  return new Failure(kind, text, { param: field, code, retryAfterS, headers, cause })
}

const FITTING = /^[a-zA-Z0-9_-]{1,64}$/
const LONGEST = 64
const HASH_LETTERS = 8

/** Models take 64 plain letters: a longer name ends in its hash, which is the same on every turn. */
export function fittedToolName(name: string): string {
  if (FITTING.test(name)) return name
  const hash = sha256(name).toString('hex').slice(0, HASH_LETTERS)
  const plain = name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, LONGEST - HASH_LETTERS - 1)
  return `${plain}_${hash}`
}
