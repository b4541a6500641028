import { randomBytes } from 'node:crypto'
import { sendJson } from './answer.ts'
import type { Exchange, Json } from './exchange.ts'
import { drawPng } from './picture.ts'
import type { ToolCall } from './pieces.ts'
import { callOf, imagePart } from './pieces.ts'
import type { Prompt } from './prompt.ts'
import { readPrompt } from './prompt.ts'
import { streamChat } from './stream.ts'
import { countTokens, reportUsage } from './usage.ts'
import { answerLanguage, compose, fromSchema } from './words.ts'

/** What the model says, before it is worded as one answer or as a stream. */
export type Saying = {
  id: string
  created: number
  model: string
  text: string
  reasoning: string | undefined
  toolCalls: ToolCall[]
  images: string[]
  finish: 'stop' | 'length' | 'tool_calls'
  usage: Json | undefined
}

const IMAGE_TOKENS = 1_290

export async function chat(exchange: Exchange): Promise<void> {
  const prompt = readPrompt(exchange)
  const saying = say(exchange, prompt)
  if (exchange.body.stream === true) await streamChat(exchange, saying)
  else await sendJson(exchange, completion(exchange, saying), generation(saying.id))
}

export const generationId = (): string =>
  `gen-${Math.floor(Date.now() / 1000)}-${randomBytes(10).toString('hex')}`

export const generation = (id: string) => ({ headers: { 'x-generation-id': id } })

function say(exchange: Exchange, prompt: Prompt): Saying {
  const { body } = exchange
  const model = exchange.model!
  const calls = toolCalls(body, prompt)
  const wantsImage =
    model.outputs.includes('image') &&
    Array.isArray(body.modalities) &&
    body.modalities.includes('image')
  const thinks = body.reasoning !== undefined || body.reasoning_effort !== undefined
  const reasoning = thinks ? `The user wants: ${prompt.said.slice(0, 200)}` : undefined
  const whole = calls.length > 0 ? '' : answerText(body, prompt)
  const cut = cutText(whole, body, model.maxOutput)
  const images = wantsImage ? [drawPng(prompt.said, 64, 64).toString('base64')] : []
  const reasoningTokens = reasoning === undefined ? 0 : countTokens(reasoning)
  const count = Number.isInteger(body.n) ? Number(body.n) : 1
  const spoken = calls.length > 0 ? countTokens(JSON.stringify(calls)) : countTokens(cut.text)
  return {
    id: generationId(),
    created: Math.floor(Date.now() / 1000),
    model: model.id,
    text: cut.text,
    reasoning,
    toolCalls: calls,
    images,
    finish: calls.length > 0 ? 'tool_calls' : cut.finish,
    usage: reportUsage(exchange, {
      prompt: prompt.tokens,
      completion: spoken * count + reasoningTokens + images.length * IMAGE_TOKENS,
      reasoning: reasoningTokens,
      images: images.length * IMAGE_TOKENS,
    }),
  }
}

function answerText(body: Json, prompt: Prompt): string {
  const format = (body.response_format ?? {}) as Json
  const language = answerLanguage(prompt.system, prompt.toolResult ?? prompt.said)
  const text =
    prompt.toolResult === undefined
      ? compose(prompt.said, language, prompt.attachments)
      : compose(`${prompt.said} → ${prompt.toolResult}`, language, [])
  if (format.type === 'json_object') return JSON.stringify({ answer: text })
  if (format.type !== 'json_schema') return text
  const { schema } = (format.json_schema ?? {}) as Json
  return JSON.stringify(fromSchema(schema, prompt.said))
}

/** A question with tools is answered with a call of the first, or of the one that is asked for. */
function toolCalls(body: Json, prompt: Prompt): ToolCall[] {
  const tools = (Array.isArray(body.tools) ? body.tools : []) as Json[]
  if (tools.length === 0 || body.tool_choice === 'none' || prompt.toolResult !== undefined)
    return []
  const asked = ((body.tool_choice as Json | undefined)?.function as Json | undefined)?.name
  const tool =
    tools.find((each) => (each.function as Json | undefined)?.name === asked) ?? tools[0]!
  const made = (tool.function ?? {}) as Json
  const args = JSON.stringify(fromSchema(made.parameters, prompt.said))
  return [
    { id: `call_${randomBytes(12).toString('hex')}`, name: String(made.name), arguments: args },
  ]
}

function cutText(text: string, body: Json, maxOutput: number | null) {
  const asked = Number(body.max_completion_tokens ?? body.max_tokens ?? Infinity)
  const limit = Math.min(
    Number.isFinite(asked) && asked > 0 ? asked : Infinity,
    maxOutput ?? Infinity,
  )
  const stops = [body.stop].flat().filter((stop) => typeof stop === 'string' && stop !== '')
  const ends = stops.map((stop) => text.indexOf(stop as string)).filter((at) => at >= 0)
  const stopped = ends.length > 0 ? text.slice(0, Math.min(...ends)) : text
  if (countTokens(stopped) <= limit) return { text: stopped, finish: 'stop' as const }
  const bytes = Buffer.from(stopped).subarray(0, limit * 4)
  return { text: bytes.toString().replace(/\uFFFD$/u, ''), finish: 'length' as const }
}

function completion(exchange: Exchange, saying: Saying): Json {
  const failed = exchange.fault === 'finish-error'
  const count = Number.isInteger(exchange.body.n) ? Number(exchange.body.n) : 1
  const choices = Array.from({ length: count }, (_, index) => ({
    index,
    finish_reason: failed ? 'error' : saying.finish,
    native_finish_reason: failed ? 'error' : saying.finish,
    logprobs: null,
    message: message(saying),
    ...(failed ? { error: { code: 502, message: 'SimProvider disconnected' } } : {}),
  }))
  return {
    id: saying.id,
    object: 'chat.completion',
    created: saying.created,
    model: saying.model,
    provider: 'SimProvider',
    system_fingerprint: 'fp_simulator',
    choices,
    ...(saying.usage === undefined ? {} : { usage: saying.usage }),
  }
}

function message(saying: Saying): Json {
  return {
    role: 'assistant',
    content: saying.toolCalls.length > 0 ? null : saying.text,
    refusal: null,
    reasoning: saying.reasoning ?? null,
    ...(saying.toolCalls.length > 0 ? { tool_calls: saying.toolCalls.map(callOf) } : {}),
    ...(saying.images.length > 0 ? { images: saying.images.map(imagePart) } : {}),
  }
}
