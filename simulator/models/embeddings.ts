import { generationId, sendJson } from './send.ts'
import type { Exchange, Json } from './exchange.ts'
import { Refusal } from './faults/refusal.ts'
import { countTokens, reportUsage } from './usage.ts'

const DIMENSIONS = 384

export async function embeddings(exchange: Exchange): Promise<void> {
  const { body } = exchange
  const inputs = inputsOf(body.input)
  const dimensions = Number(body.dimensions ?? DIMENSIONS)
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > 4_096) {
    throw new Refusal(400, 'dimensions must be from 1 to 4096')
  }
  const vectors = inputs.map((input) => embed(input, dimensions))
  if (exchange.fault === 'bad-vectors') vectors.splice(-1, 1, vectors.at(-1)!.subarray(1))
  const listed = exchange.fault === 'bad-vectors' && vectors.length > 1 ? vectors.slice(1) : vectors
  const asBase64 = body.encoding_format === 'base64'
  const prompt = inputs.reduce((sum, input) => sum + countTokens(input), 0)
  const usage = reportUsage(exchange, { prompt, completion: 0 })
  await sendJson(exchange, {
    object: 'list',
    id: exchange.fault?.startsWith('id-')
      ? generationId(exchange.fault)
      : `embd-${exchange.entry.id}`,
    model: exchange.model!.id,
    data: listed.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: asBase64 ? base64(vector) : [...vector],
    })),
    usage: usage && withoutDetails(usage),
  })
}

/**
 * The same text gives the same vector; texts that share words and letters point the same way.
 * Words and their three-letter pieces are hashed into the dimensions, then the length made 1.
 */
function embed(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]) {
    add(vector, word, 2)
    const padded = `^${word}$`
    for (let i = 0; i + 3 <= padded.length; i++) add(vector, padded.slice(i, i + 3), 1)
  }
  const length = Math.hypot(...vector) || 1
  return vector.map((value) => value / length)
}

function add(vector: Float32Array, feature: string, weight: number): void {
  let hash = 0x811c9dc5
  for (let i = 0; i < feature.length; i++) {
    hash = Math.imul(hash ^ feature.charCodeAt(i), 0x01000193) >>> 0
  }
  const at = hash % vector.length
  vector[at] = vector[at]! + ((hash >>> 31) & 1 ? -weight : weight)
}

function base64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes.toString('base64')
}

/** A text, texts, tokens, or lists of tokens: one vector for each. */
function inputsOf(input: unknown): string[] {
  if (typeof input === 'string' && input !== '') return [input]
  if (!Array.isArray(input) || input.length === 0) throw new Refusal(400, 'input must not be empty')
  if (input.every((each) => typeof each === 'number')) return [input.join(' ')]
  return input.map((each) => {
    if (typeof each === 'string') return each
    if (Array.isArray(each)) return each.join(' ')
    return JSON.stringify(each)
  })
}

function withoutDetails({ prompt_tokens, total_tokens, cost, is_byok }: Json): Json {
  return { prompt_tokens, total_tokens, cost, is_byok }
}
