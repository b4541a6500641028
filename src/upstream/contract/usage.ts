import { fieldsOf, isFields, listOf, type Fields } from '../../lib/json.ts'
import { compareDecimals, plainDecimal, signOf } from '../../lib/decimal.ts'

/**
 * Undefined members were not reported: absent is not zero. The classes of tokens are parts of the
 * first two, which together are the total: upstreams' own totals have been wrong.
 */
export type Usage = {
  promptTokens?: number | undefined
  completionTokens?: number | undefined
  cachedTokens?: number | undefined
  cacheWriteTokens?: number | undefined
  /** Written tokens that are cached for an hour. */
  cacheWrite1hTokens?: number | undefined
  /** Sound in the prompt. */
  audioTokens?: number | undefined
  reasoningTokens?: number | undefined
  audioOutputTokens?: number | undefined
  imageOutputTokens?: number | undefined
  /** Charged to our account: a plain decimal such as `0.000508`. */
  costUsd?: string | undefined
  seconds?: number | undefined
}

/**
 * `reported` may be zero. `absent` is estimated; so is `unusable`, which was reported but
 * implausible and is logged, as is a cost that was left out for that reason.
 */
export type UsageReading =
  | { kind: 'reported'; usage: Usage; badCost?: BadReason }
  | { kind: 'absent' }
  | { kind: 'unusable'; reason: BadReason }
type BadReason = 'negative' | 'not_a_number' | 'absurd' | 'inconsistent'

export const ABSENT: UsageReading = { kind: 'absent' }

/** As sent: each may be missing, null or invalid. */
type Claimed = { [Name in keyof Usage]?: unknown }

const MOST_TOKENS = 1_000_000_000
const MOST_USD = '1000'

/** Undefined and null members were not reported. */
export function readUsage(claimed: Claimed): UsageReading {
  const usage: Usage = {}
  for (const name of COUNTS) {
    const verdict = readCount(claimed[name], name !== 'seconds')
    if (typeof verdict === 'string') return { kind: 'unusable', reason: verdict }
    if (verdict !== undefined) usage[name] = verdict
  }
  if (!consistent(usage)) return { kind: 'unusable', reason: 'inconsistent' }
  const counted = Object.keys(usage).length > 0
  const cost = readCost(claimed.costUsd)
  if (cost && 'reason' in cost) {
    const { reason } = cost
    if (!counted) return { kind: 'unusable', reason }
    return { kind: 'reported', usage: withinTotals(usage), badCost: reason }
  }
  if (cost) usage.costUsd = cost.usd
  return counted || cost ? { kind: 'reported', usage: withinTotals(usage) } : ABSENT
}

const COUNTS = [
  'promptTokens',
  'completionTokens',
  'cachedTokens',
  'cacheWriteTokens',
  'cacheWrite1hTokens',
  'audioTokens',
  'reasoningTokens',
  'audioOutputTokens',
  'imageOutputTokens',
  'seconds',
] as const

function readCount(value: unknown, whole: boolean): number | BadReason | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number' || Number.isNaN(value)) return 'not_a_number'
  if (value < 0) return 'negative'
  if (value > MOST_TOKENS) return 'absurd'
  return whole && !Number.isInteger(value) ? 'not_a_number' : value
}

function readCost(value: unknown): { usd: string } | { reason: BadReason } | undefined {
  if (value === undefined || value === null) return undefined
  const usd = plainDecimal(value)
  if (usd === undefined) {
    return { reason: typeof value === 'number' && value > 0 ? 'absurd' : 'not_a_number' }
  }
  if (typeof value === 'number' && value >= 0 && value <= Number(MOST_USD)) return { usd }
  if (signOf(usd) < 0) return { reason: 'negative' }
  return compareDecimals(usd, MOST_USD) > 0 ? { reason: 'absurd' } : { usd }
}

/** More cached tokens than tokens would be a discount. */
function consistent(usage: Usage): boolean {
  const { promptTokens = Infinity, cachedTokens = 0, cacheWriteTokens = 0 } = usage
  return cachedTokens + cacheWriteTokens <= promptTokens
}

type Counts = Pick<Usage, 'promptTokens' | 'completionTokens'>

/** The charged counts, with the upstream's details where it reported them. */
export function countedUsage(reading: UsageReading, charged: Counts): Usage {
  const reported = reading.kind === 'reported' ? reading.usage : {}
  const { promptTokens, completionTokens } = charged
  return withinTotals({ ...reported, promptTokens, completionTokens })
}

/** No class is larger than its whole. */
function withinTotals(usage: Usage): Usage {
  const limited = { ...usage }
  for (const [part, whole] of PARTS) {
    const [count, most] = [limited[part], limited[whole]]
    if (count !== undefined && most !== undefined && count > most) limited[part] = most
  }
  return limited
}

const PARTS = [
  ['cachedTokens', 'promptTokens'],
  ['cacheWriteTokens', 'promptTokens'],
  ['cacheWrite1hTokens', 'cacheWriteTokens'],
  ['audioTokens', 'promptTokens'],
  ['reasoningTokens', 'completionTokens'],
  ['audioOutputTokens', 'completionTokens'],
  ['imageOutputTokens', 'completionTokens'],
] as const

/** As OpenAI's chats write it. */
export function usageFields(usage: Usage): Fields {
  const prompt = usage.promptTokens ?? 0
  const completion = usage.completionTokens ?? 0
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: usage.cachedTokens ?? 0,
      cache_write_tokens: usage.cacheWriteTokens || undefined,
      ...(usage.audioTokens ? { audio_tokens: usage.audioTokens } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoningTokens ?? 0,
      ...(usage.audioOutputTokens ? { audio_tokens: usage.audioOutputTokens } : {}),
      ...(usage.imageOutputTokens ? { image_tokens: usage.imageOutputTokens } : {}),
    },
  }
}

/** The size of an answer whose upstream counts nothing. */
export function outputOf(messages: readonly Fields[]): { outputBytes: number; pictures: number } {
  let [outputBytes, pictures] = [0, 0]
  for (const message of messages) {
    outputBytes += writtenBytes(message)
    pictures += listOf(message.images).length
  }
  return { outputBytes, pictures }
}

export function writtenBytes(message: Fields): number {
  let bytes = byteLength(message.content) + byteLength(message.refusal)
  bytes += byteLength(message.reasoning) + byteLength(message.reasoning_content)
  if (isFields(message.audio)) bytes += byteLength(message.audio.transcript)
  for (const call of listOf(message.tool_calls)) {
    bytes += byteLength(fieldsOf(fieldsOf(call).function).arguments)
  }
  return bytes
}

function byteLength(value: unknown): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0
}
