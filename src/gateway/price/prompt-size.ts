import { isFields } from '../../lib/fields.ts'

/**
 * How large a prompt is, before anyone has counted its tokens. What is sent upstream is what is paid
 * for: every byte of the outgoing body counts as text, whatever field it is in, except media that
 * have a measure of their own.
 */
export type PromptSize = {
  /** Of the outgoing JSON, without the media that are measured below. */
  textBytes: number
  imageCount: number
  /** Pictures, films and files. */
  mediaTokens: number
  /** Sound, which may have a price of its own. */
  audioTokens: number
  /** Films and files behind a link: nobody knows how long they are. */
  links: number
  /** No fewer tokens than all of it has, where its bytes do not say. */
  mostTokens?: number | undefined
  /** The caller asks for the prompt to be kept in the upstream's cache, at a price of its own. */
  cacheLife?: CacheLife | undefined
}

type CacheLife = '5m' | '1h'

export const EMPTY_PROMPT: PromptSize = {
  textBytes: 0,
  imageCount: 0,
  mediaTokens: 0,
  audioTokens: 0,
  links: 0,
}

/**
 * An estimate from bytes, because real tokenizers are superlinear on repetitive text: 50,000 × "a"
 * blocked the loop for seconds. Prose runs at 3 to 4.5 bytes a token; what is neither prose nor
 * English is denser.
 */
const BYTES_PER_TOKEN = 3
/** The estimate for what is behind a link. */
const LINKED_MEDIA_TOKENS = 10_000
/** Separators and the start of the answer. Roles and names are bytes of the body. */
const TOKENS_PER_PROMPT = 8

export function textTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN)
}

export function promptTokens(size: PromptSize): number {
  const media = size.mediaTokens + size.audioTokens + size.links * LINKED_MEDIA_TOKENS
  return textTokens(size.textBytes) + media + TOKENS_PER_PROMPT
}

/** Where the catalog does not say how much a model can read. */
export const UNKNOWN_CONTEXT_TOKENS = 1_000_000

/** For the hold: what is behind a link may fill all that the model can read. */
export function mostPromptTokens(size: PromptSize, contextTokens: number | undefined): number {
  const estimate = promptTokens(size)
  return size.links === 0 ? estimate : Math.max(estimate, contextTokens ?? UNKNOWN_CONTEXT_TOKENS)
}

/**
 * No fewer than any tokenizer would make of it. `boundTextTokens` is what its text may come to: as
 * many as it has bytes, unless somebody has looked closer. A model reads no more than its context.
 */
export function boundPromptTokens(
  size: PromptSize,
  contextTokens: number | undefined,
  boundTextTokens = size.textBytes,
): number {
  if (size.links > 0) return mostPromptTokens(size, contextTokens)
  if (size.mostTokens !== undefined) return size.mostTokens
  const tokens = boundTextTokens + size.mediaTokens + size.audioTokens + TOKENS_PER_PROMPT
  return contextTokens ? Math.min(tokens, contextTokens) : tokens
}

/** All of an outgoing body, with what was found out about its media. */
export function promptSize(
  body: unknown,
  media: Omit<PromptSize, 'textBytes' | 'cacheLife'> & { mediaBytes: number },
): PromptSize {
  const { imageCount, mediaTokens, audioTokens, links, mediaBytes } = media
  const { bytes, cacheLife } = measureJson(body)
  const textBytes = bytes - mediaBytes
  return { textBytes, imageCount, mediaTokens, audioTokens, links, cacheLife }
}

/** The bytes of a value as JSON, and what it says about caching. */
type Measured = { bytes: number; cacheLife: CacheLife | undefined }

/**
 * One walk over the values, without writing the text: a body of 14 MB is not copied. Exact but for
 * escapes, which no model sees. The nesting of a body is bounded before it gets here.
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
