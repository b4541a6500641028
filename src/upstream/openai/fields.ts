import { addDecimals, plainDecimal } from '../../lib/decimal.ts'
import { fieldsOf, isFields, type Fields } from '../../lib/json.ts'
import { ABSENT, readUsage, type UsageReading } from '../contract/usage.ts'

/* The fields that no request may carry, and the usage report. */

/**
 * Fields that would change how our account is used: another model or tier, more answers, extra
 * fees, logs and storage.
 */
const STEERING = new Set([
  'models',
  'route',
  'provider',
  'plugins',
  'transforms',
  'callback_url',
  'usage',
  'service_tier',
  'user',
  'safety_identifier',
  'web_search_options',
  'best_of',
  'use_beam_search',
  'stop_server_tools_when',
  'stream_options',
  'stream',
  'debug',
  'trace',
  'session_id',
  'metadata',
  'store',
])

export function isSteering(name: string): boolean {
  return STEERING.has(name)
}

export function withoutSteering(body: Fields): Fields {
  const kept: Fields = {}
  for (const name in body) if (!STEERING.has(name)) kept[name] = body[name]
  if (Array.isArray(kept.tools)) keepOwnTools(kept, kept.tools)
  return kept
}

/** Tools that the upstream runs cost extra; only the caller's own stay. */
function keepOwnTools(body: Fields, tools: unknown[]): void {
  const own = tools.filter(
    (tool) => isFields(tool) && (tool.type === 'function' || tool.type === 'custom'),
  )
  if (own.length === tools.length) return
  if (own.length > 0) body.tools = own
  else {
    delete body.tools
    delete body.tool_choice
    delete body.parallel_tool_calls
  }
}

/** The `usage` of chat, embeddings, images, transcriptions and videos. */
export function openAiUsage(raw: unknown): UsageReading {
  if (!isFields(raw)) return ABSENT
  const input = fieldsOf(raw.prompt_tokens_details ?? raw.input_tokens_details)
  const output = fieldsOf(raw.completion_tokens_details ?? raw.output_tokens_details)
  return readUsage({
    promptTokens: raw.prompt_tokens ?? raw.input_tokens,
    completionTokens: completionOf(raw, output),
    totalTokens: raw.total_tokens,
    cachedTokens: input.cached_tokens ?? raw.prompt_cache_hit_tokens,
    cacheWriteTokens: input.cache_write_tokens,
    audioTokens: input.audio_tokens,
    reasoningTokens: output.reasoning_tokens,
    audioOutputTokens: output.audio_tokens,
    imageOutputTokens: output.image_tokens,
    seconds: raw.seconds,
    costUsd: costOf(raw),
  })
}

/** Chat is charged by both counts: without one of them usage counts as absent. */
export function chatUsage(raw: unknown): UsageReading {
  const reading = openAiUsage(raw)
  if (reading.kind !== 'reported') return reading
  const { promptTokens, completionTokens } = reading.usage
  return promptTokens === undefined || completionTokens === undefined ? ABSENT : reading
}

/** Some servers leave reasoning out of `completion_tokens`; the total shows it. */
function completionOf(raw: Fields, output: Fields): unknown {
  const completion = raw.completion_tokens ?? raw.output_tokens
  const [prompt, total, reasoning] = [raw.prompt_tokens, raw.total_tokens, output.reasoning_tokens]
  if (typeof completion !== 'number' || typeof prompt !== 'number') return completion
  if (typeof total !== 'number' || typeof reasoning !== 'number') return completion
  return total === prompt + completion + reasoning ? completion + reasoning : completion
}

/** With a key of our own (BYOK) `cost` is only the fee. */
function costOf(raw: Fields): unknown {
  if (raw.is_byok !== true) return raw.cost
  const [fee, inference] = [raw.cost, fieldsOf(raw.cost_details).upstream_inference_cost]
  const [a, b] = [plainDecimal(fee), plainDecimal(inference)]
  return a !== undefined && b !== undefined ? addDecimals(a, b) : (inference ?? fee)
}

/** Without prices. */
export function publicUsage(raw: unknown): Fields | undefined {
  if (!isFields(raw)) return undefined
  const { cost: _cost, cost_details: _details, is_byok: _byok, ...shown } = raw
  return shown
}
