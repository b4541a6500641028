import { Agent, request } from 'undici'
import { readCappedJson } from '../lib/http-json.ts'
import { isStorable } from '../lib/storable.ts'
import type { Observation } from './provider.ts'

/** One HTTP call to a payment provider: bounded in time and size, no redirects followed. */
export async function callProvider(call: ProviderCall): Promise<ProviderReply> {
  // The cause is dropped on purpose: messages of the client may quote addresses and headers.
  try {
    const answer = await request(call.url, {
      dispatcher: agent,
      method: call.method,
      headers: { accept: 'application/json', ...call.headers },
      body: call.body ?? null,
      signal: AbortSignal.timeout(call.timeoutMs),
    })
    const json = await readCappedJson(answer.body, LARGEST_ANSWER_BYTES)
    return { status: answer.statusCode, json }
  } catch (error) {
    return { status: 0, reason: reasonOf(error) }
  }
}

const agent = new Agent({ connect: { timeout: 5_000 }, connections: 16, pipelining: 1 })
const LARGEST_ANSWER_BYTES = 256 * 1024

export type ProviderCall = {
  method: 'GET' | 'POST'
  url: string
  headers: Record<string, string>
  body?: string | undefined
  timeoutMs: number
}

/** `status: 0` means that no complete answer came; whether the request arrived is not known. */
export type ProviderReply = { status: 0; reason: string } | { status: number; json: unknown }

export function isAnswer(reply: ProviderReply): reply is { status: number; json: unknown } {
  return reply.status !== 0
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no_answer'
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'timeout'
  const code = (error as { code?: unknown }).code
  return typeof code === 'string' ? code.toLowerCase() : 'no_answer'
}

/** Reads the answer to a status query. All but a 200 means the same at every provider. */
export function readStatusReply(
  reply: ProviderReply,
  read: (json: unknown) => Observation,
): Observation {
  if (!isAnswer(reply)) return { status: 'unreachable', reason: reply.reason }
  if (reply.status === 404) return { status: 'not_found' }
  if (reply.status !== 200) return { status: 'unreachable', reason: `status_${reply.status}` }
  return read(reply.json)
}

/** A member of an untrusted JSON value; undefined where there is none. */
export function pick(value: unknown, ...path: string[]): unknown {
  let at = value
  for (const name of path) {
    if (typeof at !== 'object' || at === null) return undefined
    at = (at as Record<string, unknown>)[name]
  }
  return at
}

/** A short text that can be looked up and kept; undefined for anything else. */
export function textAt(value: unknown, ...path: string[]): string | undefined {
  const found = pick(value, ...path)
  if (typeof found !== 'string' || found === '' || found.length > LONGEST_TEXT) return undefined
  return isStorable(found) ? found : undefined
}

const LONGEST_TEXT = 200

/**
 * A provider's word for a status, as it is stored for an operator. It comes from outside: short, and
 * without what a database or a terminal would stumble over.
 */
export function statusWord(value: unknown): string | undefined {
  return typeof value === 'string' && value !== ''
    ? value.slice(0, 40).replaceAll(/[^\w .-]/g, '?')
    : undefined
}

/** No provider documents a word for a collection that was taken back; these name it for payouts. */
export function meansReversal(word: string | undefined): boolean {
  return /revers|refund|charge.?back/i.test(word ?? '')
}

/** Whole TZS from a number or a string such as "5000" or "5000.00"; undefined for anything else. */
export function wholeTzs(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined
  if (typeof value !== 'string' || !/^\d{1,12}(\.0{1,6})?$/.test(value)) return undefined
  return Number(value)
}
