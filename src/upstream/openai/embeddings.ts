import { textOf } from '../../lib/json.ts'
import type {
  EmbeddingsRequest,
  EmbeddingsResult,
  HttpCall,
  JsonAnswer,
  ModelTarget,
} from '../contract/contract.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import { readVectors } from '../contract/vectors.ts'
import { answerFields, openAiUsage } from './fields.ts'

/** Base64 is a quarter of the size of written-out floats; both are read. */
export function buildEmbeddings(request: EmbeddingsRequest, target: ModelTarget): HttpCall {
  const own = { model: target.model, encoding_format: 'base64', user: request.user }
  return {
    method: 'POST',
    path: '/embeddings',
    json: { ...request.body, ...own },
    expects: 'json',
  }
}

export function readEmbeddings(answer: JsonAnswer, request: EmbeddingsRequest): EmbeddingsResult {
  const json = answerFields(answer)
  if (!Array.isArray(json.data)) throw new UpstreamError('garbage', 'data')
  return {
    vectors: readVectors(json.data, request.inputs),
    usage: openAiUsage(json.usage),
    generationId: answer.headers['x-generation-id'] ?? textOf(json.id),
  }
}
