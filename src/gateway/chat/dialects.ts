import { Failure } from '../../lib/failure.ts'
import type { Fields } from '../../lib/fields.ts'
import { sha256 } from '../../lib/secrets.ts'

/* What the other dialects share. */

const CUT_OFF = new Set<string | null>(['length', 'content_filter'])

/** It did not come to its end by itself: what is open may be half of what was meant. */
export function isCutOff(finish: string | null): boolean {
  return CUT_OFF.has(finish)
}

/** Calls are there to be made, whatever the reason to stop behind them, unless one was cut off. */
export function endsEarly(finish: string | null, calls: { any: boolean; cutOff: boolean }) {
  return isCutOff(finish) && (!calls.any || calls.cutOff)
}

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

/** What a `tool` message says that has no text: pictures and files stand in a message behind it. */
export function resultText(text: string, attached: readonly unknown[]): string {
  return text || (attached.length > 0 ? '(attached below)' : '(no output)')
}

/** Before what is attached: several results may have some, and the model must know whose they are. */
export function attachedHeading(callId: unknown): Fields {
  return { type: 'text', text: `From the result of ${String(callId)}:` }
}

/** Text of a caller's inside a message of ours. */
export function shown(text: string, most = 80): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, most)
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
