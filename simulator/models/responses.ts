import { createHash, randomBytes } from 'node:crypto'
import { answerLanguage, composeText } from './answer-text.ts'
import type { Exchange, Json } from './exchange.ts'
import { Refusal } from './faults/refusal.ts'
import { streamResponse, type MadeResponse } from './responses-stream.ts'
import { argumentsFor, valueForSchema } from './schema-value.ts'
import { sendJson } from './send.ts'
import { applyUsageFault, countTokens } from './usage.ts'

/** OpenAI's Responses, as OpenRouter offers them: nothing is kept, thoughts are sealed. */
export async function responses(exchange: Exchange): Promise<void> {
  const { body } = exchange
  checkRequest(body)
  const made = responseFor(exchange)
  if (body.stream === true) return streamResponse(exchange, made)
  await sendJson(exchange, wholeResponse(made, exchange.fault))
}

function wholeResponse(made: MadeResponse, fault: string | undefined): Json {
  if (fault !== 'finish-error') return made
  const error = { code: 'server_error', message: 'SimProvider disconnected' }
  return { ...made, status: 'failed', error }
}

function checkRequest(body: Json): void {
  if (body.store === true) throw new Refusal(400, 'store: only false is supported')
  if (body.previous_response_id) throw new Refusal(400, 'previous_response_id is not supported')
  for (const item of itemsOf(body)) {
    if (item.type === 'item_reference') throw new Refusal(404, 'Item not found')
    if (item.type === 'reasoning' && !isSealed(item.encrypted_content)) {
      throw new Refusal(400, 'The encrypted content could not be verified.')
    }
  }
}

function itemsOf({ input }: Json): Json[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }]
  return (Array.isArray(input) ? input : []) as Json[]
}

function sealed(thought: string): string {
  const text = Buffer.from(thought).toString('base64url')
  return `gSIM.${text}.${createHash('sha256').update(`sim ${text}`).digest('hex').slice(0, 16)}`
}

function isSealed(given: unknown): boolean {
  const [mark, text = ''] = String(given).split('.')
  return mark === 'gSIM' && sealed(Buffer.from(text, 'base64url').toString()) === given
}

function responseFor(exchange: Exchange): MadeResponse {
  const { body } = exchange
  const items = itemsOf(body)
  const question = textOf(items.findLast((item) => item.role === 'user')?.content)
  const results = resultsIn(items)
  const said = results.length > 0 ? `${question} → ${results.join(' + ')}` : question
  const language = answerLanguage(textOf(body.instructions), question)
  const calls = results.length > 0 ? [] : callsFor(body, question)
  const whole = answerText(body, composeText(said, language, []), question)
  const most = Number(body.max_output_tokens ?? Infinity) * 4
  const text = whole.slice(0, most)
  const isCut = calls.length === 0 && text.length < whole.length
  const output = [...thoughtsFor(body, question), ...(calls.length > 0 ? calls : [message(text)])]
  return {
    id: `resp_${randomBytes(24).toString('hex')}`,
    created_at: Math.floor(Date.now() / 1_000),
    model: exchange.model!.id,
    status: isCut ? 'incomplete' : 'completed',
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output,
    usage: usageFor(exchange, output),
    user: body.user,
    error: null,
    ...asAsked(body),
  }
}

/** What was asked for stands in the answer, with what is usual for the rest. */
function asAsked(body: Json): Json {
  return {
    object: 'response',
    background: false,
    completed_at: Math.floor(Date.now() / 1_000),
    frequency_penalty: 0,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: null,
    metadata: {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    presence_penalty: 0,
    previous_response_id: null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    reasoning: body.reasoning ?? null,
    safety_identifier: null,
    service_tier: 'default',
    store: false,
    temperature: body.temperature ?? 1,
    text: body.text ?? { format: { type: 'text' } },
    tool_choice: body.tool_choice ?? 'auto',
    tools: body.tools ?? [],
    top_logprobs: 0,
    top_p: body.top_p ?? 1,
    truncation: 'disabled',
  }
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return ((content ?? []) as Json[])
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join(' ')
}

/** The results that came after the last thing that the user said. */
function resultsIn(items: Json[]): string[] {
  const last = items.findLastIndex((item) => item.role === 'user')
  return items
    .slice(last + 1)
    .filter(({ type }) => String(type).endsWith('_call_output'))
    .map(({ output }) => (typeof output === 'string' ? output : JSON.stringify(output)))
}

function answerText(body: Json, text: string, question: string): string {
  const { format } = (body.text ?? {}) as { format?: Json }
  if (format?.type !== 'json_schema') return text
  return JSON.stringify(valueForSchema(format.schema, question))
}

function message(text: string): Json {
  const content = [{ type: 'output_text', text, annotations: [], logprobs: [] }]
  return { id: itemId('msg'), type: 'message', status: 'completed', role: 'assistant', content }
}

function thoughtsFor(body: Json, question: string): Json[] {
  const { effort } = (body.reasoning ?? { effort: 'none' }) as Json
  if (effort === 'none') return []
  const text = `The user wants: ${question.slice(0, 200)}`
  const shown = ((body.include ?? []) as string[]).includes('reasoning.encrypted_content')
  return [
    {
      id: itemId('rs'),
      type: 'reasoning',
      summary: [{ type: 'summary_text', text }],
      ...(shown ? { encrypted_content: sealed(text) } : {}),
    },
  ]
}

/** Every tool that the question names, else the first one or the one that is chosen. */
function callsFor(body: Json, question: string): Json[] {
  const tools = ((body.tools ?? []) as Json[]).filter(({ type }) => CALLED.has(type))
  if (tools.length === 0 || body.tool_choice === 'none') return []
  const { name } = (body.tool_choice ?? {}) as Json
  const chosen = tools.filter((tool) => tool.name === name)
  const named = tools.filter((tool) => question.includes(String(tool.name)))
  const called = chosen.length > 0 ? chosen : named.length > 0 ? named : tools.slice(0, 1)
  return called.map((tool) => {
    const call = {
      status: 'completed',
      call_id: `call_${randomBytes(12).toString('hex')}`,
      name: tool.name,
    }
    if (tool.type === 'custom') {
      return { id: itemId('ctc'), type: 'custom_tool_call', ...call, input: question }
    }
    const args = JSON.stringify(argumentsFor(tool.parameters, question))
    return { id: itemId('fc'), type: 'function_call', ...call, arguments: args }
  })
}

const CALLED = new Set<unknown>(['function', 'custom'])

function itemId(prefix: string): string {
  return `${prefix}_${randomBytes(24).toString('hex')}`
}

function usageFor(exchange: Exchange, output: Json[]): Json | undefined {
  const { input, instructions, tools } = exchange.body
  const prompt = countTokens(JSON.stringify([input, instructions, tools]))
  const thoughts = output.filter(({ type }) => type === 'reasoning')
  const answer = countTokens(JSON.stringify(output))
  const reasoning = thoughts.length === 0 ? 0 : countTokens(JSON.stringify(thoughts))
  return applyUsageFault(exchange, {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: answer,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: prompt + answer,
    cost: 0.0001,
  })
}
