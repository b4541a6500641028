import type { OurNames } from '../contract/contract.ts'
import { ABSENT, readUsage } from '../contract/usage.ts'
import type { Usage, UsageReading } from '../contract/usage.ts'
import { type Fields, fieldsOf, isFields } from '../../lib/fields.ts'
import { addDecimals, plainDecimal } from '../../lib/decimal.ts'

/** Reads the `usage` of chat, embeddings, images, transcriptions and videos alike. */
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
    reasoningTokens: output.reasoning_tokens,
    seconds: raw.seconds,
    costUsd: costOf(raw),
  })
}

/** Chat is charged by both counts: a report that lacks one of them is no report. */
export function chatUsage(raw: unknown): UsageReading {
  const reading = openAiUsage(raw)
  if (reading.kind !== 'reported') return reading
  const { promptTokens, completionTokens } = reading.usage
  return promptTokens === undefined || completionTokens === undefined ? ABSENT : reading
}

/** Some servers leave the reasoning out of `completion_tokens`; the total then shows it exactly. */
function completionOf(raw: Fields, output: Fields): unknown {
  const completion = raw.completion_tokens ?? raw.output_tokens
  const [prompt, total, reasoning] = [raw.prompt_tokens, raw.total_tokens, output.reasoning_tokens]
  if (typeof completion !== 'number' || typeof prompt !== 'number') return completion
  if (typeof total !== 'number' || typeof reasoning !== 'number') return completion
  return total === prompt + completion + reasoning ? completion + reasoning : completion
}

/** With a key of our own behind the upstream, `cost` is only its fee. */
function costOf(raw: Fields): unknown {
  if (raw.is_byok !== true) return raw.cost
  const [fee, inference] = [raw.cost, fieldsOf(raw.cost_details).upstream_inference_cost]
  const [a, b] = [plainDecimal(fee), plainDecimal(inference)]
  return a !== undefined && b !== undefined ? addDecimals(a, b) : (inference ?? fee)
}

/** What callers may see of an upstream's usage: everything but its prices. */
export function publicUsage(raw: unknown): Fields | undefined {
  if (!isFields(raw)) return undefined
  const { cost: _cost, cost_details: _details, is_byok: _byok, ...shown } = raw
  return shown
}

/** OpenAI's usage object from our counts. */
export function usageFields(usage: Usage): Fields {
  const prompt = usage.promptTokens ?? 0
  const completion = usage.completionTokens ?? 0
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: usage.cachedTokens ?? 0,
      ...(usage.cacheWriteTokens ? { cache_write_tokens: usage.cacheWriteTokens } : {}),
    },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
  }
}

/** The last chunk of a stream whose caller asked for `include_usage`. */
export function usageChunk(ours: OurNames, usage: Usage): string {
  return JSON.stringify({
    id: ours.id,
    object: 'chat.completion.chunk',
    created: ours.created,
    model: ours.model,
    choices: [],
    usage: usageFields(usage),
  })
}
