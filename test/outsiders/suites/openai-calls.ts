import { flac } from '../../support/samples/sounds.ts'
import { drawPng } from '../../../simulator/models/picture.ts'
import type { Service } from '../service.ts'

/** A call and the schema that OpenAI's document has for what is answered. */
export type Call = { name: string; schema: string; ask(service: Service): Promise<unknown[]> }

const MODEL = 'sim/macho'
const WEATHER = {
  name: 'get_weather',
  description: 'The weather of a town',
  parameters: {
    type: 'object',
    properties: { town: { type: 'string' } },
    required: ['town'],
    additionalProperties: false,
  },
  strict: true,
}
const SHAPE = { name: 'town', schema: WEATHER.parameters, strict: true }
const PICTURE = `data:image/png;base64,${drawPng('mbuyu', 32, 32).toString('base64')}`

const CHAT = { model: MODEL, messages: [{ role: 'user', content: 'Habari ya Mwanza?' }] }
const CHAT_TOOLS = {
  ...CHAT,
  tools: [{ type: 'function', function: WEATHER }],
  tool_choice: 'required',
}
const CHAT_SHAPE = { ...CHAT, response_format: { type: 'json_schema', json_schema: SHAPE } }
const CHAT_PICTURE = {
  model: MODEL,
  messages: [
    { role: 'user', content: [{ type: 'image_url', image_url: { url: PICTURE } }] },
    { role: 'user', content: 'What is this?' },
  ],
}
const RESPONSE = { model: MODEL, input: 'Habari ya Mwanza?' }
const RESPONSE_TOOLS = {
  ...RESPONSE,
  tools: [{ type: 'function', ...WEATHER }],
  tool_choice: 'required',
}
const RESPONSE_REASONING = { ...RESPONSE, reasoning: { effort: 'high', summary: 'auto' } }
const RESPONSE_SHAPE = { ...RESPONSE, text: { format: { type: 'json_schema', ...SHAPE } } }

const stream = (body: object) => ({ ...body, stream: true })
const usage = { stream_options: { include_usage: true } }

export const CALLS: Call[] = [
  get('models', 'ListModelsResponse', '/models'),
  get('a model', 'Model', `/models/${MODEL}`),
  post('chat', 'CreateChatCompletionResponse', '/chat/completions', CHAT),
  post('chat, tools', 'CreateChatCompletionResponse', '/chat/completions', CHAT_TOOLS),
  post('chat, json_schema', 'CreateChatCompletionResponse', '/chat/completions', CHAT_SHAPE),
  post('chat, picture', 'CreateChatCompletionResponse', '/chat/completions', CHAT_PICTURE),
  events('chat', 'CreateChatCompletionStreamResponse', '/chat/completions', { ...CHAT, ...usage }),
  events('chat, tools', 'CreateChatCompletionStreamResponse', '/chat/completions', CHAT_TOOLS),
  post('completions', 'CreateCompletionResponse', '/completions', { model: MODEL, prompt: 'Moja' }),
  post('responses', 'Response', '/responses', RESPONSE),
  post('responses, tools', 'Response', '/responses', RESPONSE_TOOLS),
  post('responses, reasoning', 'Response', '/responses', RESPONSE_REASONING),
  post('responses, json_schema', 'Response', '/responses', RESPONSE_SHAPE),
  events('responses', 'ResponseStreamEvent', '/responses', RESPONSE),
  events('responses, tools', 'ResponseStreamEvent', '/responses', RESPONSE_TOOLS),
  events('responses, reasoning', 'ResponseStreamEvent', '/responses', RESPONSE_REASONING),
  stored('a stored response', 'Response', ''),
  stored('its input items', 'ResponseItemList', '/input_items'),
  post('input tokens', 'TokenCountsResource', '/responses/input_tokens', RESPONSE),
  post('compact', 'CompactResource', '/responses/compact', RESPONSE),
  post('embeddings', 'CreateEmbeddingResponse', '/embeddings', {
    model: 'sim/vekta',
    input: ['moja', 'mbili'],
  }),
  post('images', 'ImagesResponse', '/images/generations', { model: 'sim/picha', prompt: 'Mbuyu' }),
  transcription('json', 'CreateTranscriptionResponseJson'),
  transcription('verbose_json', 'CreateTranscriptionResponseVerboseJson'),
  post('an error of ours', 'ErrorResponse', '/chat/completions', { model: MODEL }),
  post('an unknown model', 'ErrorResponse', '/chat/completions', { ...CHAT, model: 'no/such' }),
]

function get(name: string, schema: string, path: string): Call {
  return { name, schema, ask: async (service) => [await send(service, path)] }
}

function post(name: string, schema: string, path: string, body: object): Call {
  return { name, schema, ask: async (service) => [await send(service, path, body)] }
}

function events(name: string, schema: string, path: string, body: object): Call {
  const ask = async ({ base, key }: Service) => {
    const answer = await fetch(`${base}${path}`, request(key, stream(body)))
    const lines = (await answer.text()).split('\n').filter((line) => line.startsWith('data: '))
    const sent = lines.map((line) => line.slice(6)).filter((data) => data !== '[DONE]')
    if (sent.length === 0) throw new Error(`${answer.status}, and no event`)
    return sent.map((data) => JSON.parse(data) as unknown)
  }
  return { name: `${name}, streamed`, schema, ask }
}

function stored(name: string, schema: string, path: string): Call {
  const ask = async (service: Service) => {
    const { id } = (await send(service, '/responses', RESPONSE)) as { id: string }
    return [await send(service, `/responses/${id}${path}`)]
  }
  return { name, schema, ask }
}

function transcription(format: string, schema: string): Call {
  const ask = async ({ base, key }: Service) => {
    const body = new FormData()
    body.set('file', new Blob([new Uint8Array(flac())]), 'sound.flac')
    body.set('model', 'sim/sikia')
    body.set('response_format', format)
    const headers = { authorization: `Bearer ${key}` }
    const answer = await fetch(`${base}/audio/transcriptions`, { method: 'POST', headers, body })
    return [await answer.json()]
  }
  return { name: `transcription, ${format}`, schema, ask }
}

async function send({ base, key }: Service, path: string, body?: object): Promise<unknown> {
  return (await fetch(`${base}${path}`, request(key, body))).json()
}

function request(key: string, body?: object) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  return { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) }
}
