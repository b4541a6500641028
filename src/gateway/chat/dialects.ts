import { Failure, renamed } from '../../lib/failure.ts'
import type { Fields } from '../../lib/json.ts'
import { sha256 } from '../../lib/secrets.ts'

/* Shared by the dialects. */

const CUT_OFF = new Set<string | null>(['length', 'content_filter'])

/** The answer was cut off: its open part may be incomplete. */
export function isCutOff(finish: string | null): boolean {
  return CUT_OFF.has(finish)
}

/** The answer was made and is no use: it is not charged, and counted in the allowance. */
export function brokenCall(): Failure {
  const message =
    'The model called a tool with invalid arguments. The answer is not charged. Try again.'
  return new Failure('upstream_failed', message)
}

/** An answer with complete calls counts as finished, so that the client makes them. */
export function endsEarly(finish: string | null, calls: { any: boolean; cutOff: boolean }) {
  return isCutOff(finish) && (!calls.any || calls.cutOff)
}

/** Newer OpenAI models accept only the newer field; most others know the older one. */
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

/** Null counts as absent. */
export function unreadOf(body: Fields, read: ReadonlySet<string>): string[] {
  const names = Object.keys(body).filter((name) => !read.has(name) && (body[name] ?? null) !== null)
  return names
    .slice(0, MOST_UNREAD)
    .map((name) => name.replaceAll(/[^\w.:-]/g, '?').slice(0, LONGEST_NAME))
}

const MOST_UNREAD = 50
const LONGEST_NAME = 64

const MESSAGE = /^messages(?:\[(\d+)\])?/

/**
 * Renames a chat field in a failure to the caller's field. `places` has the field of each message;
 * `rest` is for the messages as a whole.
 */
export function inCallersFields(error: unknown, places: readonly string[], rest: string): unknown {
  if (!(error instanceof Failure) || error.param === undefined) return error
  const found = MESSAGE.exec(error.param)
  if (found === null) return error
  return renamed(error, places[Number(found[1] ?? -1)] ?? rest)
}

/** A field of the chat that the caller has not sent is not named as theirs. */
export function withOwnParam(error: unknown, body: Fields): unknown {
  if (!(error instanceof Failure) || error.kind !== 'upstream_rejected') return error
  const { kind, param, message, code, cause } = error
  const isTheirs = param !== undefined && Object.hasOwn(body, param.split(/[.[]/)[0]!)
  return isTheirs ? error : new Failure(kind, message, { code, cause })
}

/** A `tool` message has only text: pictures and files follow in a user message. */
export function resultText(text: string, attached: readonly unknown[]): string {
  return text || (attached.length > 0 ? '(attached below)' : '(no output)')
}

/** Tells the model which call the attached parts belong to. */
export function attachedHeading(callId: unknown): Fields {
  return { type: 'text', text: `From the result of ${String(callId)}:` }
}

/** A caller's text, safe inside a message. */
export function shown(text: string, most = 80): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, most)
}

const FITTING = /^[a-zA-Z0-9_-]{1,64}$/
const LONGEST = 64
const HASH_LETTERS = 8

/** Models accept 64 plain characters. A longer name ends in its hash, the same on every turn. */
export function fittedToolName(name: string): string {
  if (FITTING.test(name)) return name
  const hash = sha256(name).toString('hex').slice(0, HASH_LETTERS)
  const plain = name.slice(0, LONGEST - HASH_LETTERS - 1).replaceAll(/[^a-zA-Z0-9_-]/g, '_')
  return `${plain}_${hash}`
}
