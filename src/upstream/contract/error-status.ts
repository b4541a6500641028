import type { AccountWhy, RejectedWhy, ErrorCategory } from './upstream-error.ts'

/* Shared by all providers: status codes, usual phrases, and waiting times. */

export type ErrorHint =
  | { rejected: RejectedWhy }
  | { account: AccountWhy }
  | 'overloaded'
  | undefined

export function classifyStatus(
  status: number,
  hint: ErrorHint,
  retryAfterS: number | undefined,
): ErrorCategory {
  if (hint === 'overloaded') return { kind: 'overloaded', retryAfterS }
  if (hint && 'account' in hint) return { kind: 'account', why: hint.account }
  if (hint && status < 500) return { kind: 'rejected', why: hint.rejected }
  if (status === 429) return { kind: 'rate_limited', retryAfterS }
  if (status === 503 || status === 529) return { kind: 'overloaded', retryAfterS }
  return BY_STATUS[status] ?? (status >= 400 && status < 500 ? REQUEST : { kind: 'failed' })
}

const REQUEST: ErrorCategory = { kind: 'rejected', why: 'request' }
const BY_STATUS: Record<number, ErrorCategory> = {
  401: { kind: 'account', why: 'key_refused' },
  402: { kind: 'account', why: 'out_of_money' },
  403: { kind: 'account', why: 'forbidden' },
  404: { kind: 'missing' },
  408: { kind: 'failed' },
  409: { kind: 'failed' },
  410: { kind: 'missing' },
  413: { kind: 'rejected', why: 'payload' },
  425: { kind: 'failed' },
}

/** Many servers have no code for these two, only phrases: those that can mean nothing else. */
export function hintInWords(message: string): ErrorHint {
  if (CONTEXT.some((phrase) => phrase.test(message))) return { rejected: 'context_length' }
  if (SAFETY.test(message) && DECLINED.test(message)) return { rejected: 'content_policy' }
  return undefined
}

const CONTEXT = [
  /\b(maximum|max|model's|model) (context|prompt|model) (length|limit)/i,
  /(exceed|larger than|longer than|over|beyond)[^.]{0,60}\bcontext\b/i,
  /\b(prompt|input|conversation) is too long/i,
  /too many (input|prompt) tokens|too many tokens in the (input|prompt)/i,
  /input tokens? (count )?[^.]{0,40}exceed|exceeds? the (model's )?(maximum|available) number of tokens/i,
  /reduce the length of the (input|messages|prompt)/i,
]
const SAFETY = /\b(policy|policies|safety)\b/i
const DECLINED = /violat|flagged|block|filter|reject|refus|declin|prohibit|trigger/i

const LONGEST_S = 3600

/** `Retry-After` in seconds or as a date, within 1 to 3600; undefined if invalid. */
export function retryAfterSeconds(value: unknown, nowMs: number): number | undefined {
  if (typeof value === 'number') return within(value)
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (/^\d{1,20}(\.\d{1,9})?s?$/.test(text)) return within(Number.parseFloat(text))
  if (!/[A-Za-z]/.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : within(Math.max(1, (at - nowMs) / 1000))
}

function within(seconds: number): number | undefined {
  if (!Number.isFinite(seconds) || seconds < 0) return undefined
  return Math.min(LONGEST_S, Math.max(1, Math.ceil(seconds)))
}
