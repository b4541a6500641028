import type { Gateway } from '../chat/gateways.ts'

/** Models of one upstream: the first is asked by chat, the others in the dialects of their makers. */
export const MODELS = { chat: 'bench/chat', messages: 'anthropic/bench', responses: 'openai/bench' }

/** A way to ask, with the share of chat's speed that it must reach. */
export type Way = {
  name: string
  atLeast?: number
  path: string
  body: object
  /** What a good answer has in it, whole and streamed. */
  ends: { whole: string; streamed: string }
}

const PROMPT = 'Niandikie barua fupi ya kuomba likizo ya siku tatu kazini, kwa heshima. '.repeat(4)
const SYSTEM = 'You are a helpful assistant.'
const CONVERTED = 0.8
const NATIVE = 0.9

export const CHAT: Way = {
  name: 'chat',
  path: '/v1/chat/completions',
  body: {
    model: MODELS.chat,
    messages: [
      { role: 'system', content: SYSTEM },
      { role: 'user', content: PROMPT },
    ],
    max_tokens: 400,
    temperature: 0.7,
  },
  ends: { whole: '"usage":{', streamed: 'data: [DONE]' },
}

export const WAYS: Way[] = [
  { ...messages(MODELS.chat), name: 'Messages, converted', atLeast: CONVERTED },
  { ...messages(MODELS.messages), name: 'Messages, native', atLeast: NATIVE },
  { ...responses(MODELS.chat, false), name: 'Responses, converted', atLeast: CONVERTED },
  { ...responses(MODELS.responses, false), name: 'Responses, native', atLeast: NATIVE },
  // One row more to write: what it costs is shown, and has no goal.
  { ...responses(MODELS.chat, true), name: 'Responses, converted and kept' },
]

function messages(model: string) {
  const body = {
    model,
    system: SYSTEM,
    messages: [{ role: 'user', content: PROMPT }],
    max_tokens: 400,
    temperature: 0.7,
  }
  const ends = { whole: '"stop_reason":"end_turn"', streamed: 'event: message_stop' }
  return { path: '/v1/messages', body, ends }
}

function responses(model: string, store: boolean) {
  const body = {
    model,
    instructions: SYSTEM,
    input: PROMPT,
    max_output_tokens: 400,
    temperature: 0.7,
    store,
  }
  const ends = { whole: '"status":"completed"', streamed: 'event: response.completed' }
  return { path: '/v1/responses', body, ends }
}

/** One request for each caller, ready for the wire. */
export function requestsOf({ path, body }: Way, { headers }: Gateway, stream: boolean): string[] {
  const usage = path.includes('chat') ? { stream_options: { include_usage: true } } : {}
  const text = JSON.stringify(stream ? { ...body, stream, ...usage } : body)
  const head = `Host: bench\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n`
  return headers.map((own) => `POST ${path} HTTP/1.1\r\n${head}${own}\r\n${text}`)
}
