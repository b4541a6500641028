import { fieldsOf, isFields, textOf, type Fields } from '../../lib/json.ts'
import type {
  ChatRequest,
  ChatResult,
  HttpCall,
  JsonAnswer,
  ModelTarget,
} from '../contract/contract.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import { outputOf } from '../contract/usage.ts'
import { answerFields, errorInBody, openAiUsage } from './fields.ts'

/** A picture in a chunk is one long event. */
const IMAGE_EVENT_CAP = 32 * 1024 * 1024

export function buildChat(request: ChatRequest, target: ModelTarget): HttpCall {
  const body: Fields = { ...request.body, ...request.extra }
  if (request.mostTokens !== undefined) limitLength(body, request.mostTokens, target)
  body.model = target.model
  if (request.user !== undefined) body.user = request.user
  if (request.stream) {
    body.stream = true
    body.stream_options = { include_usage: true }
  }
  const pictures = Array.isArray(body.modalities) && body.modalities.includes('image')
  return {
    method: 'POST',
    path: '/chat/completions',
    json: body,
    expects: request.stream ? 'sse' : 'json',
    maxEventBytes: pictures ? IMAGE_EVENT_CAP : undefined,
  }
}

/**
 * Servers differ in which limit they follow, so both are lowered. Reasoning may be added to either,
 * so both together stay within the limit.
 */
function limitLength(body: Fields, mostTokens: number, { supportedParameters }: ModelTarget): void {
  const thoughts = fieldsOf(body.reasoning).max_tokens
  const thinking = typeof thoughts === 'number' ? Math.min(thoughts, Math.ceil(mostTokens / 2)) : 0
  if (thinking > 0) body.reasoning = { ...fieldsOf(body.reasoning), max_tokens: thinking }
  const most = Math.max(1, mostTokens - thinking)
  const given = LENGTHS.filter((name) => typeof body[name] === 'number')
  for (const name of given) body[name] = Math.min(body[name] as number, most)
  if (given.length > 0) return
  body[supportedParameters?.includes(LENGTHS[0]) ? LENGTHS[0] : LENGTHS[1]] = most
}

const LENGTHS = ['max_completion_tokens', 'max_tokens'] as const

export function readChat(answer: JsonAnswer, request: ChatRequest): ChatResult {
  const json = answerFields(answer)
  const { choices } = json
  if (!Array.isArray(choices) || choices.length === 0) throw new UpstreamError('garbage', 'choices')
  const shown = choices.map(readChoice)
  const first = shown[0]!
  return {
    body: {
      ...withoutPrivate(json),
      id: request.ours.id,
      object: 'chat.completion',
      created: request.ours.created,
      model: request.ours.model,
      choices: shown,
    },
    text: textOf(fieldsOf(first.message).content) ?? '',
    finishReason: textOf(first.finish_reason) ?? null,
    usage: openAiUsage(json.usage),
    generationId: answer.headers['x-generation-id'] ?? textOf(json.id),
    ...outputOf(shown.map(({ message }) => fieldsOf(message))),
  }
}

/**
 * Members that name the provider or its account, and the counts, which are written with the charge;
 * the rest passes unchanged.
 */
function withoutPrivate(body: Fields): Fields {
  return {
    ...body,
    usage: undefined,
    provider: undefined,
    user_id: undefined,
    openrouter_metadata: undefined,
    x_groq: undefined,
  }
}

function readChoice(choice: unknown): Fields {
  if (!isFields(choice) || !isFields(choice.message)) throw new UpstreamError('garbage', 'choice')
  if (choice.error || choice.finish_reason === 'error') throw errorInBody(choice)
  return choice.native_finish_reason === undefined
    ? choice
    : { ...choice, native_finish_reason: undefined }
}
