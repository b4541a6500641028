/**
 * How large a prompt is, before anyone has counted its tokens. An estimate from bytes, because real
 * tokenizers are superlinear on repetitive text: 50,000 × "a" blocked the loop for seconds.
 */
export type PromptSize = { textBytes: number; imageCount: number; mediaTokens: number }

/** Prose runs at 3 to 4.5 bytes a token; what is neither prose nor English is denser. */
const BYTES_PER_TOKEN = 3
/** Roles, separators and the start of the answer. */
const TOKENS_PER_PROMPT = 8

/** One picture costs an upstream 85 to 1,600 tokens; PDFs, sound and video go by their size. */
export const IMAGE_TOKENS = 1_600
export const LINKED_MEDIA_TOKENS = 10_000
const BASE64_BYTES_PER_TOKEN = { file: 50, audio: 600, video: 500 }

export function promptTokens(size: PromptSize): number {
  return Math.ceil(size.textBytes / BYTES_PER_TOKEN) + size.mediaTokens + TOKENS_PER_PROMPT
}

/** Tokens of an answer whose upstream counted none. */
export function answerTokens(outputBytes: number): number {
  return Math.ceil(outputBytes / BYTES_PER_TOKEN)
}

export function mediaTokens(kind: 'file' | 'audio' | 'video', base64Length: number): number {
  return Math.ceil(base64Length / BASE64_BYTES_PER_TOKEN[kind])
}
