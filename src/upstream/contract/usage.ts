import { addDecimals, compareDecimals, plainDecimal, signOf } from '../../lib/decimal.ts'
import { fieldsOf, isFields, listOf, type Fields } from '../../lib/json.ts'

const COUNTS = [
  'promptTokens',
  'completionTokens',
  'cachedTokens',
  /** Sound in the prompt, and in its cached part. */
  'audioTokens',
  'cachedAudioTokens',
  /** Pictures in the prompt. */
  'imageTokens',
  'cacheWriteTokens',
  /** Those of the written ones that are cached for longer than a few minutes. */
  'cacheWrite30mTokens',
  'cacheWrite1hTokens',
  'cacheWrite12hTokens',
  'reasoningTokens',
  'audioOutputTokens',
  'imageOutputTokens',
  'seconds',
] as const
type Count = (typeof COUNTS)[number]

/**
 * Undefined members were not reported: absent is not zero. The classes of tokens are parts of the
 * first two, which together are the total: upstreams' own totals have been wrong.
 */
export type Usage = Partial<Record<Count, number | undefined>> & {
  /** Of a whole that was not reported: what is known to be in it. */
  leastPromptTokens?: number | undefined
  leastCompletionTokens?: number | undefined
  /** Of several prompts that were read for one answer: prices go by the length of one. */
  longestPromptTokens?: number | undefined
  /** By names without a price: in the prompt, in the answer, beside both, and what is no token. */
  unknownPromptTokens?: number | undefined
  unknownCompletionTokens?: number | undefined
  unknownTokens?: number | undefined
  unknownUnits?: number | undefined
  /** Charged to our account: a plain decimal such as `0.000508`. */
  costUsd?: string | undefined
}

/**
 * `reported` may be zero. `absent` is estimated; so is `unusable`, of which nothing made sense. What
 * made no sense beside other counts (`bad`) and names that nobody knows are logged.
 */
export type UsageReading =
  | { kind: 'reported'; usage: Usage; bad?: BadReason; unknown?: readonly string[] }
  | { kind: 'absent' }
  | { kind: 'unusable'; reason: BadReason }
type BadReason = 'negative' | 'not_a_number' | 'absurd' | 'inconsistent'

export const ABSENT: UsageReading = { kind: 'absent' }

/**
 * As sent: each may be missing, null or invalid, and several are added up. Where the first of a whole
 * is not known, the others are the least of it.
 */
type Claimed = Partial<Record<Count, readonly unknown[] | undefined>> & {
  longestPrompt?: number | undefined
  costUsd?: unknown
  unknown?: { prompt?: UnknownCounts; answer?: UnknownCounts; beside?: UnknownCounts }
}

const MOST_TOKENS = 1_000_000_000
const MOST_USD = '1000'

/** Each count is read for itself: one that makes no sense takes nothing from the others. */
export function readUsage(claimed: Claimed): UsageReading {
  const usage: Usage = {}
  let bad: BadReason | undefined
  for (const name of COUNTS) {
    const { sum, first, reason } = addClaims(claimed[name], name !== 'seconds')
    bad ??= reason
    if (sum === undefined) continue
    if (name === 'promptTokens' && !first) usage.leastPromptTokens = sum
    else if (name === 'completionTokens' && !first) usage.leastCompletionTokens = sum
    else usage[name] = sum
  }
  if (isDiscount(usage)) {
    delete usage.cachedTokens
    bad ??= 'inconsistent'
  }
  const unknown = addUnknown(usage, claimed.unknown)
  const cost = readCost(claimed.costUsd)
  if (cost && 'usd' in cost) usage.costUsd = cost.usd
  else bad ??= cost?.reason
  if (Object.keys(usage).length === 0) return bad ? { kind: 'unusable', reason: bad } : ABSENT
  if (claimed.longestPrompt !== undefined) usage.longestPromptTokens = claimed.longestPrompt
  const reading: UsageReading = { kind: 'reported', usage: withinTotals(usage) }
  if (bad) reading.bad = bad
  if (unknown.length > 0) reading.unknown = unknown
  return reading
}

type Added = { sum?: number; first: boolean; reason?: BadReason | undefined }

function addClaims(claims: readonly unknown[] | undefined, whole: boolean): Added {
  let sum: number | undefined
  let reason: BadReason | undefined
  const first = claims !== undefined && typeof readCount(claims[0], whole) === 'number'
  for (const claim of claims ?? []) {
    const count = readCount(claim, whole)
    if (typeof count === 'string') reason ??= count
    else if (count !== undefined) sum = (sum ?? 0) + count
  }
  if (sum === undefined) return { first, reason }
  return sum > MOST_TOKENS ? { first, reason: 'absurd' } : { sum, first, reason }
}

function readCount(value: unknown, whole: boolean): number | BadReason | undefined {
  if (value === undefined || value === null) return undefined
  if (isAmount(value)) return whole && !Number.isInteger(value) ? 'not_a_number' : value
  if (typeof value !== 'number' || Number.isNaN(value)) return 'not_a_number'
  return value < 0 ? 'negative' : 'absurd'
}

export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MOST_TOKENS
}

/** The value if it is a count of tokens, else zero. */
export function countOf(value: unknown): number {
  const count = readCount(value, true)
  return typeof count === 'number' ? count : 0
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

/** With a key of our own (BYOK) `cost` is only the fee. */
export function costIn(raw: Fields): unknown {
  if (raw.is_byok !== true) return raw.cost
  const [fee, inference] = [raw.cost, fieldsOf(raw.cost_details).upstream_inference_cost]
  const [a, b] = [plainDecimal(fee), plainDecimal(inference)]
  return a !== undefined && b !== undefined ? addDecimals(a, b) : (inference ?? fee)
}

/** More cached tokens than tokens would be a discount. */
function isDiscount(usage: Usage): boolean {
  const { promptTokens = Infinity, cachedTokens = 0, cacheWriteTokens = 0 } = usage
  return cachedTokens > 0 && cachedTokens + cacheWriteTokens > promptTokens
}

type UnknownCounts = { tokens: number; units: number; names: string[] }

const DEEPEST = 8
const MOST_NAMES = 8

/** Counts by names that are not `known`, however deep. A fraction is none: it is a time or a price. */
export function unknownCounts(raw: Fields, known: ReadonlySet<string>): UnknownCounts {
  const found: UnknownCounts = { tokens: 0, units: 0, names: [] }
  for (const name in raw) if (!known.has(name)) addNamed(found, name, raw[name], 0)
  return found
}

function addNamed(found: UnknownCounts, name: string, value: unknown, depth: number): void {
  if (typeof value === 'object' && value !== null) {
    if (depth === DEEPEST) return
    for (const [inner, one] of Object.entries(value)) {
      addNamed(found, Array.isArray(value) ? name : inner, one, depth + 1)
    }
    return
  }
  const count = countOf(value)
  if (count === 0) return
  found[/tokens?(_?count)?$/i.test(name) ? 'tokens' : 'units'] += count
  if (found.names.length < MOST_NAMES) found.names.push(/^\w{1,60}$/.test(name) ? name : '?')
}

/** Returns their names. */
function addUnknown(usage: Usage, { prompt, answer, beside }: Claimed['unknown'] = {}): string[] {
  const add = (name: keyof Usage & `unknown${string}`, count = 0) => {
    if (count > 0) usage[name] = Math.min(count, MOST_TOKENS)
  }
  const all = (one: UnknownCounts | undefined) => one && one.tokens + one.units
  add('unknownPromptTokens', all(prompt))
  add('unknownCompletionTokens', all(answer))
  add('unknownTokens', beside?.tokens)
  add('unknownUnits', beside?.units)
  return [prompt, answer, beside].flatMap((one) => one?.names ?? [])
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
  const { promptTokens, cachedTokens = 0, cacheWriteTokens = 0 } = limited
  if (promptTokens !== undefined && cachedTokens + cacheWriteTokens > promptTokens) {
    limited.cacheWriteTokens = promptTokens - cachedTokens
  }
  return limited
}

const PARTS = [
  ['cachedTokens', 'promptTokens'],
  ['cacheWriteTokens', 'promptTokens'],
  ['cachedAudioTokens', 'cachedTokens'],
  ['cacheWrite30mTokens', 'cacheWriteTokens'],
  ['cacheWrite1hTokens', 'cacheWriteTokens'],
  ['cacheWrite12hTokens', 'cacheWriteTokens'],
  ['audioTokens', 'promptTokens'],
  ['imageTokens', 'promptTokens'],
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
      ...(usage.imageTokens ? { image_tokens: usage.imageTokens } : {}),
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
