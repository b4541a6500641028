/** A request, and what its answer holds if it came whole through the dialect. */
export type Asked = { name: string; path: string; body: object; says: string[] }

const CONTENT = 'Habari za asubuhi, Asha!'
const SCHEMA = { type: 'object', properties: { town: { type: 'string' } }, required: ['town'] }
const FUNCTION = { name: 'get_weather', description: 'The weather of a town' }
const USER = { role: 'user', content: 'Hali ya hewa Mwanza?' }
const ARGUMENTS = '{"town":"Mwanza"}'
const MAX = { max_tokens: 1_000 }

const chat = { messages: [USER] }
const chatTools = { tools: [{ type: 'function', function: { ...FUNCTION, parameters: SCHEMA } }] }
const chatResult = [
  USER,
  {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: ARGUMENTS } },
    ],
  },
  { role: 'tool', tool_call_id: 'call_1', content: '27' },
]
const messages = { ...MAX, messages: [USER] }
const messagesTools = { tools: [{ ...FUNCTION, input_schema: SCHEMA }] }
const responses = { input: USER.content }
const responsesTools = { tools: [{ type: 'function', ...FUNCTION, parameters: SCHEMA }] }

/** A text that comes in pieces is told by its last words. */
const END = 'sha!'
const TOWN = 'Mwanza'

export const ASKED: Asked[] = [
  ask('chat', chat, [CONTENT, '"stop"']),
  ask('chat, streamed', { ...chat, stream: true }, [END, '"stop"', '[DONE]']),
  ask('chat, tools', { ...chat, ...chatTools }, ['get_weather', TOWN, '"tool_calls"']),
  ask('chat, tools, streamed', { ...chat, ...chatTools, stream: true }, [
    'get_weather',
    '"finish_reason":"tool_calls"',
    '[DONE]',
  ]),
  ask('chat, tool result', { ...chatTools, messages: chatResult }, ['27 degrees', '"stop"']),
  ask('messages', messages, [CONTENT, 'end_turn']),
  ask('messages, streamed', { ...messages, stream: true }, [END, 'end_turn', 'message_stop']),
  ask('messages, tools', { ...messages, ...messagesTools }, ['get_weather', TOWN, 'tool_use']),
  ask('messages, tools, streamed', { ...messages, ...messagesTools, stream: true }, [
    'get_weather',
    '"stop_reason":"tool_use"',
    'message_stop',
  ]),
  ask('responses', responses, [CONTENT, '"completed"']),
  ask('responses, streamed', { ...responses, stream: true }, [END, 'response.completed']),
  ask('responses, tools', { ...responses, ...responsesTools }, ['get_weather', TOWN]),
  ask('responses, tools, streamed', { ...responses, ...responsesTools, stream: true }, [
    'response.function_call_arguments.done',
    TOWN,
    'response.completed',
  ]),
]

function ask(name: string, body: object, says: string[]): Asked {
  const dialect = name.split(',')[0]!
  return { name, path: dialect === 'chat' ? '/chat/completions' : `/${dialect}`, body, says }
}
