import { fieldsOf, isFields, textOf, type Fields } from '../../lib/json.ts'
import type {
  ChatRequest,
  ChatResult,
  HttpCall,
  JsonAnswer,
  ModelTarget,
  NativeRequest,
} from '../contract/contract.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import { readMessage } from './answer.ts'
import { anthropicUsage } from './usage.ts'

/*
 * A request in this provider's dialect is sent as it is, since thinking is bound to its exact
 * system, tools and messages. Only model and user are replaced.
 */

export function buildNative(
  native: NativeRequest,
  request: ChatRequest,
  target: ModelTarget,
): HttpCall {
  const { user, stream, mostTokens } = request
  const body = {
    ...(mostTokens === undefined ? native.body : withinTokens(native.body, mostTokens)),
    model: target.model,
    metadata: user === undefined ? undefined : { user_id: user },
    stream: stream ? true : undefined,
  }
  const expects = stream ? 'sse' : 'json'
  return {
    method: 'POST',
    path: '/messages',
    headers: native.headers,
    json: body,
    expects,
    keeps400: true,
  }
}

const LEAST_BUDGET = 1_024

/** Shortened to what can be paid for: thinking must be shorter too. */
function withinTokens(body: Fields, mostTokens: number): Fields {
  const { budget_tokens: budget, type } = fieldsOf(body.thinking)
  const most = Math.min(Number(body.max_tokens), mostTokens)
  const limited = { ...body, max_tokens: most }
  if (type !== 'enabled' || typeof budget !== 'number' || budget < most) return limited
  const thinking = most > LEAST_BUDGET ? { type, budget_tokens: most - 1 } : { type: 'disabled' }
  return { ...limited, thinking }
}

/** Also read as a chat, which is what is counted and recorded. */
export function readNative(
  native: NativeRequest,
  answer: JsonAnswer,
  request: ChatRequest,
): ChatResult {
  const result = readMessage(answer, request)
  const message = withoutPrices(fieldsOf(answer.json))
  return { ...result, native: { ...message, ...native.ours } }
}

/** Some upstreams add their price and provider. */
export function withoutPrices({ provider: _provider, ...message }: Fields): Fields {
  const { cost: _cost, cost_details: _details, is_byok: _byok, ...usage } = fieldsOf(message.usage)
  return { ...message, usage }
}

/** Ignored or refused by the counting endpoint. */
const NOT_COUNTED = ['max_tokens', 'stream', 'metadata', 'temperature', 'top_p', 'top_k'] as const

export function buildCount({ native }: ChatRequest, target: ModelTarget): HttpCall {
  const body: Record<string, unknown> = { ...native?.body, model: target.model }
  for (const name of NOT_COUNTED) delete body[name]
  delete body.stop_sequences
  return {
    method: 'POST',
    path: '/messages/count_tokens',
    headers: native?.headers,
    json: body,
    expects: 'json',
  }
}

export function readCount({ json }: JsonAnswer): { tokens: number } {
  const claimed = isFields(json) ? json.input_tokens : undefined
  const reading = anthropicUsage({ input_tokens: claimed, output_tokens: 0 })
  const tokens = reading.kind === 'reported' ? reading.usage.promptTokens : undefined
  if (tokens === undefined) throw new UpstreamError('garbage', 'count')
  return { tokens }
}

export function anthropicErrorMessage(body: unknown): string | undefined {
  return isFields(body) && isFields(body.error) ? textOf(body.error.message) : undefined
}
