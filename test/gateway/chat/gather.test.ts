import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatherAnswer } from '../../../src/gateway/chat/gather.ts'
import { openChatStream } from '../../../src/upstream/chat-stream.ts'
import type { ChatRequest, Provider } from '../../../src/upstream/contract/contract.ts'
import { anthropic } from '../../../src/upstream/anthropic/provider.ts'
import { gemini } from '../../../src/upstream/gemini/provider.ts'
import { openai } from '../../../src/upstream/openai/provider.ts'
import { openrouter } from '../../../src/upstream/openrouter/provider.ts'

/* An answer that was streamed to us and is sent whole is the one that was whole from the start. */

const request: ChatRequest = {
  body: {},
  stream: true,
  ours: { id: 'chatcmpl-1', model: 'test/model', created: 7 },
}
const target = { upstream: 'u', model: 'm' }

type Event = { event?: string; data: unknown }
type Told = { whole: unknown; events: Event[] }

async function streamed({ chat }: Provider, events: Event[]) {
  const queue = events.map(({ event, data }) => ({
    event,
    data: typeof data === 'string' ? data : JSON.stringify(data),
  }))
  const source = {
    ready: true,
    more: async () => {},
    take: () => (queue.length > 0 ? [queue.shift()!] : undefined),
    rest: () => {},
    cancel: () => void queue.splice(0),
  }
  const reader = chat!.reader(request, target)
  const stream = await openChatStream({
    events: source,
    reader,
    choices: new Set(events.flatMap(({ data }) => indexesIn(data))).size,
    ours: request.ours,
    id: undefined,
    refusal: (error) => error,
    streamFailure: (error) => error,
  })
  return gatherAnswer(stream, request.ours)
}

function indexesIn(data: unknown): unknown[] {
  const { choices, candidates } = data as Record<string, { index?: number }[] | undefined>
  return (choices ?? candidates ?? [{ index: 0 }]).map(({ index }) => index ?? 0)
}

/** What is null, zero or left out says the same. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_name, one: unknown) =>
    one === null || one === 0 ? undefined : one,
  )
}

async function assertSame(provider: Provider, { whole, events }: Told): Promise<void> {
  const answer = { status: 200, headers: {}, json: whole }
  const read = provider.chat!.read(answer, request, target)
  const made = await streamed(provider, events)
  assert.deepEqual(plain(made.body), plain(read.body))
  for (const name of ['text', 'finishReason', 'pictures', 'outputBytes', 'generationId'] as const) {
    assert.equal(made[name], read[name], name)
  }
  assert.deepEqual(plain(made.usage), plain(read.usage))
}

const usage = { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 }
const details = {
  ...usage,
  prompt_tokens_details: { cached_tokens: 3 },
  completion_tokens_details: { reasoning_tokens: 2 },
}
const token = (text: string, logprob: number) => ({ token: text, logprob, bytes: null })
const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
const cited = { type: 'url_citation', url_citation: { url: 'https://example.com', title: 'x' } }

/** The members of one chunk. */
const piece = (delta: object, more: object = {}, index = 0) => ({
  data: {
    id: 'gen-1',
    object: 'chat.completion.chunk',
    system_fingerprint: 'fp_1',
    choices: [{ index, delta, finish_reason: null, ...more }],
  },
})
const end = (reason: string, index = 0) => piece({}, { finish_reason: reason }, index)
const DONE = { data: '[DONE]' }
const counted = { data: { id: 'gen-1', choices: [], usage: details } }
const completion = (choices: object[]) => ({
  id: 'gen-1',
  object: 'chat.completion',
  system_fingerprint: 'fp_1',
  choices,
  usage: details,
})
const first = { role: 'assistant', content: '' }

const OPENAI: Record<string, Told> = {
  'text with log probabilities and references': {
    whole: completion([
      {
        index: 0,
        message: {
          role: 'assistant',
          content: 'Habari yako',
          refusal: null,
          reasoning: 'Salamu kwanza.',
          annotations: [cited],
        },
        logprobs: { content: [token('Habari', -1), token(' yako', -2)], refusal: null },
        finish_reason: 'stop',
      },
    ]),
    events: [
      piece(first),
      piece({ reasoning: 'Salamu ' }),
      piece({ reasoning: 'kwanza.' }),
      piece({ content: 'Habari' }, { logprobs: { content: [token('Habari', -1)] } }),
      piece({ content: ' yako' }, { logprobs: { content: [token(' yako', -2)] } }),
      piece({ annotations: [cited] }),
      end('stop'),
      counted,
      DONE,
    ],
  },
  'several choices, a refusal and calls of tools': {
    whole: completion([
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          refusal: null,
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'hali', arguments: '{"mji":"Moshi"}' } },
            { id: 'b', type: 'function', function: { name: 'saa', arguments: '{}' } },
          ],
        },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
      {
        index: 1,
        message: { role: 'assistant', content: '', refusal: 'Siwezi hilo.', images: [picture] },
        logprobs: null,
        finish_reason: 'stop',
      },
    ]),
    events: [
      piece({ role: 'assistant', content: null }),
      piece(first, {}, 1),
      piece({
        tool_calls: [
          { index: 0, id: 'a', type: 'function', function: { name: 'hali', arguments: '' } },
        ],
      }),
      piece({ refusal: 'Siwezi ' }, {}, 1),
      piece({ tool_calls: [{ index: 0, function: { arguments: '{"mji":' } }] }),
      piece({ tool_calls: [{ index: 0, function: { arguments: '"Moshi"}' } }] }),
      piece({ refusal: 'hilo.', images: [picture] }, {}, 1),
      end('stop', 1),
      piece({
        tool_calls: [
          { index: 1, id: 'b', type: 'function', function: { name: 'saa', arguments: '{}' } },
        ],
      }),
      end('tool_calls'),
      counted,
      DONE,
    ],
  },
  'nothing at all': {
    whole: completion([
      { index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'length' },
    ]),
    events: [piece(first), end('length'), counted, DONE],
  },
}

for (const [what, told] of Object.entries(OPENAI)) {
  test(`openai: ${what}`, () => assertSame(openai, told))
  test(`openrouter: ${what}`, () => assertSame(openrouter, told))
}

const claude = (content: object[], stop: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content,
  stop_reason: stop,
  usage: { input_tokens: 9, output_tokens: 5 },
})
const block = (index: number, start: object, deltas: object[]) => [
  {
    event: 'content_block_start',
    data: { type: 'content_block_start', index, content_block: start },
  },
  ...deltas.map((delta) => ({
    event: 'content_block_delta',
    data: { type: 'content_block_delta', index, delta },
  })),
  { event: 'content_block_stop', data: { type: 'content_block_stop', index } },
]

test('anthropic: thoughts, text and a tool', () =>
  assertSame(anthropic, {
    whole: claude(
      [
        { type: 'thinking', thinking: 'Tazama hali.', signature: 's' },
        { type: 'text', text: 'Ngoja kidogo.' },
        { type: 'tool_use', id: 't1', name: 'hali', input: { mji: 'Moshi' } },
      ],
      'tool_use',
    ),
    events: [
      {
        event: 'message_start',
        data: {
          type: 'message_start',
          message: { id: 'msg_1', usage: { input_tokens: 9, output_tokens: 1 } },
        },
      },
      ...block(0, { type: 'thinking', thinking: '' }, [
        { type: 'thinking_delta', thinking: 'Tazama ' },
        { type: 'thinking_delta', thinking: 'hali.' },
        { type: 'signature_delta', signature: 's' },
      ]),
      ...block(1, { type: 'text', text: '' }, [
        { type: 'text_delta', text: 'Ngoja ' },
        { type: 'text_delta', text: 'kidogo.' },
      ]),
      ...block(2, { type: 'tool_use', id: 't1', name: 'hali', input: {} }, [
        { type: 'input_json_delta', partial_json: '{"mji":' },
        { type: 'input_json_delta', partial_json: '"Moshi"}' },
      ]),
      {
        event: 'message_delta',
        data: {
          type: 'message_delta',
          delta: { stop_reason: 'tool_use' },
          usage: { output_tokens: 5 },
        },
      },
      { event: 'message_stop', data: { type: 'message_stop' } },
    ],
  }))

const google = (parts: object[], more: object = {}) => ({
  responseId: 'g1',
  candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, thoughtsTokenCount: 2 },
})
const thought = { text: 'Fikiri.', thought: true }
const call = {
  functionCall: { id: 'c1', name: 'hali', args: { mji: 'Moshi' } },
  thoughtSignature: 'z',
}

test('gemini: thoughts, text, a picture and a call', () =>
  assertSame(gemini, {
    whole: google(
      [
        thought,
        { text: 'Habari yako' },
        { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
        call,
      ],
      { finishReason: 'STOP' },
    ),
    events: [
      { data: google([thought]) },
      { data: google([{ text: 'Habari ' }]) },
      { data: google([{ text: 'yako' }]) },
      { data: google([{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }]) },
      { data: google([call], { finishReason: 'STOP' }) },
    ],
  }))

test('an answer without end is not kept in memory', async () => {
  const words = piece({ content: 'maji '.repeat(200_000) })
  let cancelled = false
  const stream = {
    ready: true,
    more: async () => {},
    take: () => [JSON.stringify(words.data)],
    rest: () => {},
    cancel: () => (cancelled = true),
    usage: { kind: 'absent' as const },
    finishReason: null,
    generationId: undefined,
    outputBytes: 0,
    pictures: 0,
    last: [],
    finished: false,
  }
  await assert.rejects(gatherAnswer(stream, request.ours), /too long/)
  assert.ok(cancelled)
})
