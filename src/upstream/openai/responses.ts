import { fieldsOf, listOf, textOf, type Fields } from '../../lib/json.ts'
import type {
  ChatCapability,
  ChatRequest,
  ChatResult,
  HttpCall,
  JsonAnswer,
  ModelTarget,
  NativeRequest,
} from '../contract/contract.ts'
import { completion } from '../contract/chunks.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import { errorInResponse, openAiUsage } from './fields.ts'
import { SEARCHED_RESPONSES } from './passing-responses.ts'
import { ResponsesReader, responsesFinish } from './responses-stream.ts'

export const nativeResponses: ChatCapability = {
  passing: SEARCHED_RESPONSES,
  build: (request, target) => buildResponses(request.native!, request, target),
  read: readResponses,
  reader: ({ native }) => new ResponsesReader(native!),
  session: 'prompt_cache_key',
}

function buildResponses(
  { body: sent, headers }: NativeRequest,
  { user, stream, mostTokens }: ChatRequest,
  target: ModelTarget,
): HttpCall {
  const body: Fields = { ...sent, model: target.model, store: false }
  if (user !== undefined) body.user = user
  if (mostTokens !== undefined) {
    body.max_output_tokens = Math.min(Number(sent.max_output_tokens ?? Infinity), mostTokens)
  }
  if (stream) body.stream = true
  const expects = stream ? 'sse' : 'json'
  return { method: 'POST', path: '/responses', headers, json: body, expects }
}

function readResponses(answer: JsonAnswer, request: ChatRequest): ChatResult {
  const json = fieldsOf(answer.json)
  if (json.error) throw errorInResponse(json.error)
  if (!ENDED.has(json.status) || !Array.isArray(json.output))
    throw new UpstreamError('garbage', 'response')
  const text = saidIn(json.output)
  const choice = {
    index: 0,
    message: { role: 'assistant', content: text },
    finish_reason: responsesFinish(json),
  }
  const id = answer.headers['x-generation-id'] ?? textOf(json.id)
  const usage = openAiUsage(json.usage)
  const result = completion(request.ours, [choice], usage, id)
  if (usage.kind === 'reported') return { ...result, native: json }
  // Nothing was counted, so reasoning and calls count too.
  return { ...result, outputBytes: Buffer.byteLength(JSON.stringify(json.output)), native: json }
}

const ENDED = new Set<unknown>(['completed', 'incomplete'])

function saidIn(output: unknown[]): string {
  return output
    .flatMap((item) => listOf(fieldsOf(item).content))
    .map((part) => textOf(fieldsOf(part).text) ?? '')
    .join('')
}
