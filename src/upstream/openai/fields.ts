import { fieldsOf, isFields, parseForeignJson, textOf, type Fields } from '../../lib/json.ts'
import type { JsonAnswer } from '../contract/contract.ts'
import {
  classifyStatus,
  hintInWords,
  retryAfterSeconds,
  type ErrorHint,
} from '../contract/error-status.ts'
import { StatusError, type ErrorCategory } from '../contract/upstream-error.ts'
import { writesByLife } from '../contract/cache-life.ts'
import { ABSENT, costIn, readUsage, unknownCounts, type UsageReading } from '../contract/usage.ts'

/* What all answers of this format share: usage, errors. */

/** The `usage` of chat, Responses, embeddings, images, transcriptions and videos. */
export function openAiUsage(raw: unknown): UsageReading {
  if (!isFields(raw)) return ABSENT
  const input = fieldsOf(
    raw.prompt_tokens_details ?? raw.input_tokens_details ?? raw.input_token_details,
  )
  const output = fieldsOf(
    raw.completion_tokens_details ?? raw.output_tokens_details ?? raw.output_token_details,
  )
  const cached = fieldsOf(input.cached_tokens_details)
  const lives = input.cache_write_tokens_details ?? raw.cache_write_tokens_details
  const { all: _all, ...writes } = lives ? writesByLife(lives) : { all: undefined }
  return readUsage({
    promptTokens: [raw.prompt_tokens ?? raw.input_tokens],
    completionTokens: [completionOf(raw, output)],
    cachedTokens: [firstOf(CACHED, input, raw)],
    cachedAudioTokens: [cached.audio_tokens],
    cacheWriteTokens: [firstOf(WRITTEN, input, raw)],
    ...writes,
    audioTokens: [input.audio_tokens],
    imageTokens: [input.image_tokens],
    reasoningTokens: [output.reasoning_tokens ?? raw.reasoning_tokens],
    audioOutputTokens: [output.audio_tokens],
    imageOutputTokens: [output.image_tokens],
    seconds: [raw.seconds ?? raw.prompt_audio_seconds],
    costUsd: costIn(raw),
    unknown: {
      prompt: unknownCounts(input, IN_PROMPT),
      answer: unknownCounts(output, IN_ANSWER),
      beside: unknownCounts(raw, IN_USAGE),
    },
  })
}

/** Where servers write the same count. */
const CACHED = [
  'cached_tokens',
  'prompt_cache_hit_tokens',
  'num_cached_tokens',
  'cache_read_input_tokens',
]
const WRITTEN = ['cache_write_tokens', 'cache_creation_tokens', 'cache_creation_input_tokens']

function firstOf(names: readonly string[], ...raws: readonly Fields[]): unknown {
  const told = raws.flatMap((raw) => names.map((name) => raw[name]))
  return told.find((value) => value !== undefined && value !== null)
}

/* Names that are read above, and others that cost nothing of their own. */

const IN_PROMPT = new Set([
  ...CACHED,
  ...WRITTEN,
  'cached_tokens_details',
  'cache_write_tokens_details',
  'cache_creation',
  'text_tokens',
  'audio_tokens',
  'image_tokens',
  'video_tokens',
])
const IN_ANSWER = new Set([
  'reasoning_tokens',
  'text_tokens',
  'audio_tokens',
  'image_tokens',
  // Predictions count as output, right or wrong.
  'accepted_prediction_tokens',
  'rejected_prediction_tokens',
])
const IN_USAGE = new Set([
  ...CACHED,
  ...WRITTEN,
  'prompt_tokens',
  'input_tokens',
  'completion_tokens',
  'output_tokens',
  'total_tokens',
  'reasoning_tokens',
  'prompt_cache_miss_tokens',
  'prompt_tokens_details',
  'input_tokens_details',
  'input_token_details',
  'completion_tokens_details',
  'output_tokens_details',
  'output_token_details',
  'cache_write_tokens_details',
  'seconds',
  'prompt_audio_seconds',
  'cost',
  'cost_details',
  'is_byok',
  // The cost in another unit.
  'estimated_cost',
  'cost_in_usd_ticks',
  // Times (Groq, Azure).
  'queue_time',
  'prompt_time',
  'completion_time',
  'total_time',
  'latency_checkpoint',
])

/** Some servers leave reasoning out of `completion_tokens`; the total shows it. */
function completionOf(raw: Fields, output: Fields): unknown {
  const completion = raw.completion_tokens ?? raw.output_tokens
  const reasoning = output.reasoning_tokens ?? raw.reasoning_tokens
  const [prompt, total] = [raw.prompt_tokens, raw.total_tokens]
  if (typeof completion !== 'number' || typeof prompt !== 'number') return completion
  if (typeof total !== 'number' || typeof reasoning !== 'number') return completion
  return total === prompt + completion + reasoning ? completion + reasoning : completion
}

/** `{error: {code, type, message, metadata}}`, also in an array or as plain text. */
export function classifyOpenAiError({ status, body, retryAfterS }: StatusError): ErrorCategory {
  const error = errorFields(body)
  const meant = status >= 400 ? status : (statusIn(error) ?? 500)
  const delayS = retryAfterSeconds(fieldsOf(error.availability).retry_after, 0)
  return classifyStatus(meant, hintOf(error, meant), retryAfterS ?? delayS)
}

export function answerFields(answer: JsonAnswer): Fields {
  const json = fieldsOf(answer.json)
  if (json.error) throw errorInBody(json)
  return json
}

/** The error's code stands for the status. */
export function errorInBody(body: Fields): StatusError {
  return new StatusError(statusIn(errorFields(body)) ?? 500, body)
}

/** A failed response: its code is a word. */
export function errorInResponse(error: unknown): StatusError {
  const code = textOf(fieldsOf(error).code) ?? ''
  return new StatusError(BY_CODE.get(code) ?? statusIn(fieldsOf(error)) ?? 500, { error })
}

const BY_CODE = new Map([
  ['rate_limit_exceeded', 429],
  ['slow_down', 429],
  ['server_is_overloaded', 503],
  ['insufficient_quota', 402],
  ['context_length_exceeded', 400],
  ['invalid_prompt', 400],
  ['bio_policy', 400],
  ['image_content_policy_violation', 400],
  ['invalid_image', 400],
  ['invalid_image_url', 400],
  ['image_parse_error', 400],
])

/** The message of an error, or the one inside it of whoever was asked in turn. */
export function openAiErrorMessage(body: unknown): string | undefined {
  const error = errorFields(body)
  const { raw, provider_name: name } = fieldsOf(error.metadata)
  const message = messageIn(raw) ?? textOf(error.message)
  return typeof name === 'string' && name !== '' ? message?.replaceAll(name, NOBODY) : message
}

export function openAiErrorField(body: unknown): string | undefined {
  return textOf(errorFields(body).param)
}

/** No word of any sentence: it is hidden like all that is none. */
const NOBODY = '@'
const LONGEST_RAW = 20_000

function messageIn(raw: unknown): string | undefined {
  if (typeof raw !== 'string' || !raw.startsWith('{') || raw.length > LONGEST_RAW) return undefined
  try {
    const body = fieldsOf(parseForeignJson(raw))
    return textOf(errorFields(body).message) ?? textOf(body.message)
  } catch {
    return undefined
  }
}

function errorFields(body: unknown): Fields {
  const first: unknown = Array.isArray(body) ? body[0] : body
  const error = fieldsOf(first).error
  return typeof error === 'string' ? { message: error } : fieldsOf(error)
}

function statusIn(error: Fields): number | undefined {
  for (const value of [error.code, error.http_status, error.status]) {
    const status = typeof value === 'string' ? Number(value) : value
    if (typeof status === 'number' && status >= 400 && status <= 599) return status
  }
  return undefined
}

const BY_WORD: Record<string, ErrorHint> = {
  context_length_exceeded: { rejected: 'context_length' },
  max_tokens_exceeded: { rejected: 'context_length' },
  token_limit_exceeded: { rejected: 'context_length' },
  content_policy_violation: { rejected: 'content_policy' },
  content_filter: { rejected: 'content_policy' },
  moderation_blocked: { rejected: 'content_policy' },
  refusal: { rejected: 'content_policy' },
  invalid_image: { rejected: 'image' },
  image_too_large: { rejected: 'image' },
  image_too_small: { rejected: 'image' },
  unsupported_image_format: { rejected: 'image' },
  image_not_found: { rejected: 'image' },
  image_download_failed: { rejected: 'image' },
  insufficient_quota: { account: 'out_of_money' },
  credit_balance_exhausted: { account: 'out_of_money' },
  billing_hard_limit_reached: { account: 'out_of_money' },
  billing_not_active: { account: 'out_of_money' },
  payment_required: { account: 'out_of_money' },
  invalid_api_key: { account: 'key_refused' },
  authentication: { account: 'key_refused' },
  provider_overloaded: 'overloaded',
  server_is_overloaded: 'overloaded',
}

function hintOf(error: Fields, status: number): ErrorHint {
  const metadata = fieldsOf(error.metadata)
  for (const word of [metadata.error_type, error.error_type, error.code, error.type]) {
    const text = textOf(word)
    const hint = text !== undefined && Object.hasOwn(BY_WORD, text) ? BY_WORD[text] : undefined
    if (hint) return hint
  }
  const moderated = isFields(error.metadata) && ('reasons' in metadata || 'patterns' in metadata)
  if (status === 403 && moderated) return { rejected: 'content_policy' }
  if (status === 400 || status === 422) return hintInWords(textOf(error.message) ?? '')
  return undefined
}
