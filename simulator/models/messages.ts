import { createHash, randomBytes } from 'node:crypto'
import { answerLanguage, composeText } from './answer-text.ts'
import type { Exchange, Json } from './exchange.ts'
import { Refusal } from './faults/refusal.ts'
import { streamMessage, type MadeMessage } from './messages-stream.ts'
import { blocksIn, cacheUse, lastResults, promptText } from './messages-prompt.ts'
import { argumentsFor, valueForSchema } from './schema-value.ts'
import { sendJson } from './send.ts'
import { applyUsageFault, countTokens } from './usage.ts'

/** Anthropic's Messages: thinking with signatures, calls of several tools, a prompt cache. */
export async function messages(exchange: Exchange): Promise<void> {
  const { body } = exchange
  checkRequest(body)
  const message = messageFor(exchange)
  if (body.stream === true) return streamMessage(exchange, message)
  const { id, model, content, stop, usage } = message
  const whole = {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content,
    ...stop,
    diagnostics: null,
    usage,
  }
  const error = { type: 'api_error', message: 'SimProvider disconnected' }
  await sendJson(exchange, exchange.fault === 'finish-error' ? { type: 'error', error } : whole)
}

export async function countMessage(exchange: Exchange): Promise<void> {
  if (exchange.body.max_tokens !== undefined) {
    throw new Refusal(400, 'max_tokens: Extra inputs are not permitted')
  }
  await sendJson(exchange, { input_tokens: countTokens(promptText(exchange.body)) })
}

function checkRequest(body: Json): void {
  if (typeof body.max_tokens !== 'number') throw new Refusal(400, 'max_tokens: Field required')
  const { user_id: user } = (body.metadata ?? {}) as Json
  if (user !== undefined && typeof user !== 'string') throw new Refusal(400, 'metadata.user_id')
  for (const { block, at } of blocksIn(body)) {
    if (block.type !== 'thinking') continue
    if (block.signature !== signatureOf(String(block.thinking))) {
      throw new Refusal(400, `${at}: Invalid \`signature\` in \`thinking\` block`)
    }
  }
}

/** Opaque to callers, and bound to the text. */
function signatureOf(thinking: string): string {
  return createHash('sha256').update(`sim ${thinking}`).digest('base64')
}

function messageFor(exchange: Exchange): MadeMessage {
  const { body } = exchange
  const { question, system, attachments } = readQuestion(body)
  const results = lastResults(body)
  const language = answerLanguage(system, question)
  const said = results.length > 0 ? `${question} → ${results.join(' + ')}` : question
  const calls = results.length > 0 ? [] : toolUses(body, question)
  const { format } = (body.output_config ?? {}) as { format?: Json }
  const words =
    format?.type === 'json_schema'
      ? JSON.stringify(valueForSchema(format.schema, question))
      : composeText(said, language, attachments)
  const text = { type: 'text', text: words, citations: null }
  const answer = calls.length > 0 ? calls : [cut(text, body)]
  const content = [...thinkingFor(body, question), ...answer]
  return {
    id: `msg_${randomBytes(12).toString('hex')}`,
    model: exchange.model!.id,
    content,
    stop: stopOf(calls, text, answer, body),
    usage: usageFor(exchange, content),
  }
}

function stopOf(calls: Json[], text: Json, answer: Json[], body: Json): Json {
  const { text: whole } = text as { text: string }
  const stop = stopsIn(body).find((one) => whole.includes(one))
  const untold = { stop_sequence: null, stop_details: null, container: null }
  if (calls.length > 0) return { ...untold, stop_reason: 'tool_use' }
  if (stop !== undefined) return { ...untold, stop_reason: 'stop_sequence', stop_sequence: stop }
  const isCut = answer[0]!.text !== whole
  return { ...untold, stop_reason: isCut ? 'max_tokens' : 'end_turn' }
}

function stopsIn(body: Json): string[] {
  return ((body.stop_sequences ?? []) as string[]).filter((stop) => stop !== '')
}

function cut(block: Json, body: Json): Json {
  const text = String(block.text)
  const ends = stopsIn(body).map((stop) => text.indexOf(stop))
  const end = Math.min(...ends.filter((at) => at >= 0), Number(body.max_tokens) * 4)
  return { ...block, text: text.slice(0, end) }
}

function readQuestion(body: Json): { question: string; system: string; attachments: string[] } {
  const blocks = blocksIn(body)
  const own = blocks.filter(({ role, block }) => role === 'user' && block.type === 'text')
  const media = blocks.filter(({ block }) => block.type === 'image' || block.type === 'document')
  const system = [body.system ?? []].flat() as (string | Json)[]
  return {
    question: own.length === 0 ? '' : String(own.at(-1)!.block.text),
    system: system.map((one) => (typeof one === 'string' ? one : String(one.text))).join('\n'),
    attachments: media.map(({ block }) => `1 ${String(block.type)}`),
  }
}

/** One block that is shown, and one that is not. */
function thinkingFor(body: Json, question: string): Json[] {
  const { type, display } = (body.thinking ?? {}) as Json
  if (type !== 'enabled' && type !== 'adaptive') return []
  const thinking = display === 'omitted' ? '' : `The user wants: ${question.slice(0, 200)}`
  return [
    { type: 'thinking', thinking, signature: signatureOf(thinking) },
    { type: 'redacted_thinking', data: Buffer.from(`hidden ${question}`).toString('base64') },
  ]
}

/** Every tool that the question names, else the first one or the one that is chosen. */
function toolUses(body: Json, question: string): Json[] {
  const tools = (body.tools ?? []) as Json[]
  const { type, name, disable_parallel_tool_use: serial } = (body.tool_choice ?? {}) as Json
  if (tools.length === 0 || type === 'none') return []
  const named = tools.filter((tool) => question.includes(String(tool.name)))
  const chosen = tools.filter((tool) => tool.name === name)
  const called = chosen.length > 0 ? chosen : named.length > 0 ? named : tools.slice(0, 1)
  return called.slice(0, serial === true ? 1 : called.length).map((tool) => ({
    type: 'tool_use',
    id: `toolu_${randomBytes(12).toString('hex')}`,
    name: tool.name,
    input: argumentsFor(tool.input_schema, question),
    caller: { type: 'direct' },
  }))
}

function usageFor(exchange: Exchange, content: Json[]): Json {
  const { body } = exchange
  const { read, written, hour } = cacheUse(body)
  const usage = {
    input_tokens: Math.max(1, countTokens(promptText(body)) - read - written),
    output_tokens: countTokens(JSON.stringify(content)),
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    cache_creation: {
      ephemeral_5m_input_tokens: hour ? 0 : written,
      ephemeral_1h_input_tokens: hour ? written : 0,
    },
    service_tier: 'standard',
    inference_geo: null,
    output_tokens_details: null,
    server_tool_use: null,
    speed: null,
  }
  return applyUsageFault(exchange, usage) ?? {}
}
