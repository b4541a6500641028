import { fieldsOf } from '../../lib/json.ts'
import { unsuitable } from '../contract/chat-parts.ts'
import type {
  EmbeddingsRequest,
  EmbeddingsResult,
  HttpCall,
  JsonAnswer,
  ModelTarget,
} from '../contract/contract.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import { readVectors } from '../contract/vectors.ts'
import { refuseErrors } from './answer.ts'
import { geminiUsage } from './usage.ts'

export function buildBatchEmbed(request: EmbeddingsRequest, target: ModelTarget): HttpCall {
  const { input, dimensions } = request.body
  const texts: unknown[] = Array.isArray(input) ? input : [input]
  if (!texts.every((text) => typeof text === 'string')) {
    throw unsuitable('input', 'this model accepts text, not tokens.')
  }
  const requests = texts.map((text) => ({
    model: `models/${target.model}`,
    content: { role: 'user', parts: [{ text }] },
    outputDimensionality: typeof dimensions === 'number' ? dimensions : undefined,
  }))
  const path = `/models/${encodeURIComponent(target.model)}:batchEmbedContents`
  return { method: 'POST', path, json: { requests }, expects: 'json' }
}

export function readBatchEmbed(answer: JsonAnswer, request: EmbeddingsRequest): EmbeddingsResult {
  const json = fieldsOf(answer.json)
  refuseErrors(json)
  if (!Array.isArray(json.embeddings)) throw new UpstreamError('garbage', 'embeddings')
  const items = json.embeddings.map((item) => ({ embedding: fieldsOf(item).values }))
  return { vectors: readVectors(items, request.inputs), usage: geminiUsage(json.usageMetadata) }
}
