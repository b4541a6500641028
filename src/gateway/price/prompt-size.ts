import { isFields } from '../../lib/json.ts'

/**
 * The size of a prompt before its tokens are counted. Every byte of the outgoing body counts as
 * text, except media, which are measured separately.
 */
export type PromptSize = {
  /** Of the outgoing JSON, without the media. */
  textBytes: number
  imageCount: number
  mediaTokens: number
  /** Sound may have its own price. */
  audioTokens: number
  /** All media together that could not be measured: behind a link, or unreadable. */
  unknown?: MediaSize | undefined
  /** An upper bound of all tokens, where it is not the bytes. */
  mostTokens?: number | undefined
  /** The caller asks for caching at the upstream, which has its own price. */
  cacheLife?: CacheLife | undefined
}

/** The two are the same where the medium was measured. `mostTokens` may be infinite. */
export type MediaSize = { usualTokens: number; mostTokens: number }

type CacheLife = '5m' | '1h'

export const EMPTY_PROMPT: PromptSize = {
  textBytes: 0,
  imageCount: 0,
  mediaTokens: 0,
  audioTokens: 0,
}

/**
 * Estimated from bytes, because real tokenizers need seconds for repetitive text. Prose has 3 to
 * 4.5 bytes a token; other text is denser.
 */
const BYTES_PER_TOKEN = 3
/** Separators and the start of the answer. */
const TOKENS_PER_PROMPT = 8

export function textTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN)
}

export function bytesOfText(tokens: number): number {
  return tokens * BYTES_PER_TOKEN
}

export function promptTokens(size: PromptSize): number {
  const media = size.mediaTokens + size.audioTokens + (size.unknown?.usualTokens ?? 0)
  return textTokens(size.textBytes) + media + TOKENS_PER_PROMPT
}

/** Where the catalog has no context length. */
export const UNKNOWN_CONTEXT_TOKENS = 1_000_000

/** Media of unknown size may fill the model's context. */
export function mostPromptTokens(size: PromptSize, contextTokens: number | undefined): number {
  const estimate = promptTokens(size)
  if (size.unknown === undefined) return estimate
  const most = estimate - size.unknown.usualTokens + size.unknown.mostTokens
  return Math.max(estimate, Math.min(most, contextTokens ?? UNKNOWN_CONTEXT_TOKENS))
}

/**
 * An upper bound for any tokenizer. `boundTextTokens` is that of the text: its bytes, unless a
 * closer bound is known. A model reads no more than its context.
 */
export function boundPromptTokens(
  size: PromptSize,
  contextTokens: number | undefined,
  boundTextTokens = size.textBytes,
): number {
  if (size.mostTokens !== undefined) return size.mostTokens
  const unknown = Math.min(size.unknown?.mostTokens ?? 0, contextTokens ?? UNKNOWN_CONTEXT_TOKENS)
  const media = size.mediaTokens + size.audioTokens + unknown
  const tokens = boundTextTokens + media + TOKENS_PER_PROMPT
  return contextTokens ? Math.min(tokens, contextTokens) : tokens
}

export function promptSize(
  body: unknown,
  media: Omit<PromptSize, 'textBytes' | 'cacheLife'> & {
    mediaBytes: number
    fileTextBytes: number
  },
): PromptSize {
  const { imageCount, mediaTokens, audioTokens, unknown, mediaBytes, fileTextBytes } = media
  const { bytes, cacheLife } = measureJson(body)
  const textBytes = bytes - mediaBytes + fileTextBytes
  return { textBytes, imageCount, mediaTokens, audioTokens, unknown, cacheLife }
}

type Measured = { bytes: number; cacheLife: CacheLife | undefined }

/**
 * Walks the values without writing the JSON, so that a body of 14 MB is not copied. Escapes are not
 * counted. The nesting was limited before.
 */
export function measureJson(value: unknown): Measured {
  const measured: Measured = { bytes: 0, cacheLife: undefined }
  measure(value, measured)
  return measured
}

const QUOTES = 2
const BRACKETS = 2
const COLON = 1
const COMMA = 1

function measure(value: unknown, into: Measured): void {
  if (typeof value === 'string') into.bytes += Buffer.byteLength(value) + QUOTES
  else if (Array.isArray(value)) {
    into.bytes += BRACKETS
    for (const item of value) {
      into.bytes += COMMA
      measure(item, into)
    }
  } else if (isFields(value)) {
    into.bytes += BRACKETS
    for (const name in value) {
      if (value[name] === undefined) continue
      into.bytes += Buffer.byteLength(name) + QUOTES + COLON + COMMA
      if (name === 'cache_control') noteCaching(value[name], into)
      measure(value[name], into)
    }
  } else into.bytes += String(value).length
}

function noteCaching(control: unknown, into: Measured): void {
  if (!isFields(control)) return
  if (control.ttl === '1h') into.cacheLife = '1h'
  else into.cacheLife ??= '5m'
}
