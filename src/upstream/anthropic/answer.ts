import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/json.ts'
import { completion } from '../contract/chunks.ts'
import type { ChatRequest, ChatResult, JsonAnswer } from '../contract/contract.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import { anthropicError } from './errors.ts'
import { thinkingDetails } from './thinking.ts'
import { anthropicUsage } from './usage.ts'

export function readMessage(answer: JsonAnswer, request: ChatRequest): ChatResult {
  const json = fieldsOf(answer.json)
  if (json.type === 'error' || json.error) throw anthropicError(json)
  if (json.type !== 'message' || !Array.isArray(json.content))
    throw new UpstreamError('garbage', 'message')
  const choice = {
    index: 0,
    message: messageOf(json),
    finish_reason: anthropicFinish(json.stop_reason),
  }
  return completion(request.ours, [choice], anthropicUsage(json.usage), textOf(json.id))
}

function messageOf(json: Fields): Fields {
  const blocks = listOf(json.content).filter(isFields)
  const of = (type: string) => blocks.filter((block) => block.type === type)
  const text = of('text').map((block) => textOf(block.text) ?? '')
  const thinking = of('thinking').map((block) => textOf(block.thinking) ?? '')
  const details = thinkingDetails(blocks)
  const calls = of('tool_use').map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input ?? {}) },
  }))
  const refusal =
    json.stop_reason === 'refusal'
      ? (textOf(fieldsOf(json.stop_details).explanation) ?? null)
      : null
  return {
    role: 'assistant',
    content: text.length > 0 || calls.length === 0 ? text.join('') : null,
    refusal,
    ...(thinking.length > 0 ? { reasoning: thinking.join('') } : {}),
    ...(details.length > 0 ? { reasoning_details: details } : {}),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

const FINISH: Record<string, string> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

/** Any other reason is a normal stop. */
export function anthropicFinish(reason: unknown): string {
  return (typeof reason === 'string' ? FINISH[reason] : undefined) ?? 'stop'
}
