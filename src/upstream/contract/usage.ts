import { fieldsOf, isFields, listOf, type Fields } from '../../lib/json.ts'
import { compareDecimals, plainDecimal, signOf } from '../../lib/decimal.ts'

/** Undefined members were not reported: absent is not zero. */
export type Usage = {
  promptTokens?: number | undefined
  completionTokens?: number | undefined
  totalTokens?: number | undefined
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
 * implausible and is logged.
 */
export type UsageReading =
  | { kind: 'reported'; usage: Usage }
  | { kind: 'absent' }
  | { kind: 'unusable'; reason: 'negative' | 'not_a_number' | 'absurd' | 'inconsistent' }

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
  const cost = readCost(claimed.costUsd)
  if (cost && 'reason' in cost) return { kind: 'unusable', reason: cost.reason }
  if (cost) usage.costUsd = cost.usd
  if (Object.keys(usage).length === 0) return ABSENT
  if (!consistent(usage)) return { kind: 'unusable', reason: 'inconsistent' }
  return { kind: 'reported', usage }
}

const COUNTS = [
  'promptTokens',
  'completionTokens',
  'totalTokens',
  'cachedTokens',
  'cacheWriteTokens',
  'cacheWrite1hTokens',
  'audioTokens',
  'reasoningTokens',
  'audioOutputTokens',
  'imageOutputTokens',
  'seconds',
] as const

type BadReason = Extract<UsageReading, { kind: 'unusable' }>['reason']

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
  const { promptTokens = 0, completionTokens = 0, totalTokens } = usage
  if (totalTokens !== undefined && totalTokens < promptTokens + completionTokens) return false
  if (usage.promptTokens === undefined) return true
  return (usage.cachedTokens ?? 0) + (usage.cacheWriteTokens ?? 0) <= promptTokens
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
