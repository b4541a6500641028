import { randomBytes } from 'node:crypto'
import { generationHeader, generationId, sendJson } from './send.ts'
import type { Exchange, Json } from './exchange.ts'
import { drawPng } from './picture.ts'
import type { ChatAnswer, ToolCall } from './chat-answer.ts'
import { imagePart, reasoningPart, toolCallPart } from './chat-answer.ts'
import type { Prompt } from './prompt.ts'
import { readPrompt } from './prompt.ts'
import { streamChat } from './chat-stream.ts'
import { countTokens, reportUsage } from './usage.ts'
import { answerLanguage, composeText } from './answer-text.ts'
import { argumentsFor, valueForSchema } from './schema-value.ts'

const IMAGE_TOKENS = 1_290

export async function chat(exchange: Exchange): Promise<void> {
  const prompt = readPrompt(exchange)
  const answer = answerTo(exchange, prompt)
  if (exchange.body.stream === true) await streamChat(exchange, answer)
  else await sendJson(exchange, completion(exchange, answer), generationHeader(answer.id))
}

function answerTo(exchange: Exchange, prompt: Prompt): ChatAnswer {
  const { body } = exchange
  const model = exchange.model!
  const calls = toolCalls(body, prompt).map((call) =>
    exchange.fault === 'bad-arguments' ? { ...call, arguments: call.arguments.slice(0, -1) } : call,
  )
  const wants = (output: string) =>
    model.outputs.includes(output) &&
    Array.isArray(body.modalities) &&
    body.modalities.includes(output)
  const reasoning = reasons(body) ? `The user wants: ${prompt.question.slice(0, 200)}` : undefined
  const whole = calls.length > 0 ? '' : answerText(body, prompt)
  const cut = cutText(whole, body, model.maxOutput)
  const images = wants('image') ? [drawPng(prompt.question, 64, 64).toString('base64')] : []
  const reasoningTokens = reasoning === undefined ? 0 : countTokens(reasoning)
  const count = Number.isInteger(body.n) ? Number(body.n) : 1
  const answerTokens = calls.length > 0 ? countTokens(JSON.stringify(calls)) : countTokens(cut.text)
  return {
    id: generationId(exchange.fault),
    created: Math.floor(Date.now() / 1000),
    model: model.id,
    text: cut.text,
    reasoning,
    toolCalls: calls,
    images,
    finish: calls.length > 0 ? 'tool_calls' : cut.finish,
    usage: reportUsage(exchange, {
      prompt: prompt.tokens,
      completion: answerTokens * count + reasoningTokens + images.length * IMAGE_TOKENS,
      reasoning: reasoningTokens,
      images: images.length * IMAGE_TOKENS,
      audio: prompt.audioTokens,
      spoken: wants('audio') ? answerTokens * count : 0,
    }),
  }
}

/** Asked to, and not asked to leave it. */
function reasons({ reasoning, reasoning_effort: effort }: Json): boolean {
  const asked = (reasoning ?? {}) as Json
  if (asked.enabled === false || (asked.effort ?? effort) === 'none') return false
  return (reasoning ?? effort ?? null) !== null
}

function answerText(body: Json, prompt: Prompt): string {
  const format = (body.response_format ?? {}) as Json
  const language = answerLanguage(prompt.system, prompt.toolResult ?? prompt.question)
  const text =
    prompt.toolResult === undefined
      ? composeText(prompt.question, language, prompt.attachments)
      : composeText(`${prompt.question} → ${prompt.toolResult}`, language, [])
  if (format.type === 'json_object') return JSON.stringify({ answer: text })
  if (format.type !== 'json_schema') return text
  const { schema } = (format.json_schema ?? {}) as Json
  return JSON.stringify(valueForSchema(schema, prompt.question))
}

/**
 * A question with tools is answered with a call of the first tool, or of the one chosen by
 * `tool_choice`; if it names several tools, with a call of each.
 */
function toolCalls(body: Json, prompt: Prompt): ToolCall[] {
  const tools = (Array.isArray(body.tools) ? body.tools : []) as Json[]
  if (tools.length === 0 || body.tool_choice === 'none' || prompt.toolResult !== undefined)
    return []
  const chosen = ((body.tool_choice as Json | undefined)?.function as Json | undefined)?.name
  const definitions = tools.map((each) => (each.function ?? {}) as Json)
  const only = definitions.find(({ name }) => name === chosen) ?? definitions[0]!
  const named = definitions.filter(({ name }) => prompt.question.includes(String(name)))
  const several = chosen === undefined && body.parallel_tool_calls !== false && named.length > 1
  return (several ? named : [only]).map(({ name, parameters }) => ({
    id: `call_${randomBytes(12).toString('hex')}`,
    name: String(name),
    arguments: JSON.stringify(argumentsFor(parameters, prompt.question)),
  }))
}

function cutText(text: string, body: Json, maxOutput: number | null) {
  const requested = Number(body.max_completion_tokens ?? body.max_tokens ?? Infinity)
  const limit = Math.min(
    Number.isFinite(requested) && requested > 0 ? requested : Infinity,
    maxOutput ?? Infinity,
  )
  const stops = [body.stop].flat().filter((stop) => typeof stop === 'string' && stop !== '')
  const ends = stops.map((stop) => text.indexOf(stop as string)).filter((at) => at >= 0)
  const stopped = ends.length > 0 ? text.slice(0, Math.min(...ends)) : text
  if (countTokens(stopped) <= limit) return { text: stopped, finish: 'stop' as const }
  const bytes = Buffer.from(stopped).subarray(0, limit * 4)
  return { text: bytes.toString().replace(/\uFFFD$/u, ''), finish: 'length' as const }
}

function completion(exchange: Exchange, answer: ChatAnswer): Json {
  const failed = exchange.fault === 'finish-error'
  const count = Number.isInteger(exchange.body.n) ? Number(exchange.body.n) : 1
  const choices = Array.from({ length: count }, (_, index) => ({
    index,
    finish_reason: failed ? 'error' : answer.finish,
    native_finish_reason: failed ? 'error' : answer.finish,
    logprobs: null,
    message: message(answer),
    ...(failed ? { error: { code: 502, message: 'SimProvider disconnected' } } : {}),
  }))
  return {
    id: answer.id,
    object: 'chat.completion',
    created: answer.created,
    model: answer.model,
    provider: 'SimProvider',
    system_fingerprint: 'fp_simulator',
    choices,
    usage: answer.usage,
  }
}

function message(answer: ChatAnswer): Json {
  return {
    role: 'assistant',
    content: answer.toolCalls.length > 0 ? null : answer.text,
    refusal: null,
    reasoning: answer.reasoning ?? null,
    ...(answer.reasoning === undefined
      ? {}
      : { reasoning_details: [reasoningPart(answer.reasoning)] }),
    ...(answer.toolCalls.length > 0 ? { tool_calls: answer.toolCalls.map(toolCallPart) } : {}),
    ...(answer.images.length > 0 ? { images: answer.images.map(imagePart) } : {}),
  }
}
