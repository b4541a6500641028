import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nativeAnswer } from '../../../src/gateway/responses/answer/whole.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { ResponseStream } from 'openai/lib/responses/ResponseStream'
import { carrierOf } from '../../../src/gateway/chat/reasoning.ts'
import { EventWriter } from '../../../src/gateway/responses/answer/event-writer.ts'
import { NativeEvents } from '../../../src/gateway/responses/answer/native-events.ts'
import { usageOf } from '../../../src/gateway/responses/answer/response.ts'
import { inputItems } from '../../../src/gateway/responses/request/item-kinds.ts'
import { nativeResponsesRequest } from '../../../src/gateway/responses/request/native.ts'
import type { Fields } from '../../../src/lib/json.ts'
import { openai } from '../../../src/upstream/openai/provider.ts'
import type { NativeRequest } from '../../../src/upstream/contract/contract.ts'

const SEED = 'B'.repeat(24)
const MODEL = { id: 'openai/gpt', outputModalities: ['text'], supportedParameters: ['reasoning'] }
const native = (body: Fields) =>
  nativeResponsesRequest({ model: MODEL.id, ...body }, inputItems(body.input), {
    model: MODEL,
    responseId: `resp_${SEED}`,
  })
const chat = openai.withResponses!.natively!('responses', { upstream: 'u', model: 'gpt' })!
const target = { upstream: 'u', model: 'gpt' }
const request = (asked: NativeRequest, stream = true) => ({
  body: {},
  stream,
  user: 'hash',
  ours: { id: 'chatcmpl-1', model: MODEL.id, created: 1 },
  native: asked,
})

test('a request goes as it is, and is not stored there', () => {
  const tools = [
    { type: 'function', name: 'f' },
    { type: 'custom', name: 'c' },
  ]
  const asked = native({
    input: [{ type: 'message', id: 'msg_1', role: 'user', content: 'x', phase: 'commentary' }],
    instructions: 'Be short.',
    reasoning: { effort: 'high', summary: 'auto' },
    text: { verbosity: 'low' },
    tools,
    store: true,
    include: ['file_search_call.results'],
  })
  const { path, json } = chat.build(request(asked), target)
  assert.equal(path, '/responses')
  assert.deepEqual(JSON.parse(JSON.stringify(json)), {
    model: 'gpt',
    input: [{ type: 'message', role: 'user', content: 'x', phase: 'commentary' }],
    instructions: 'Be short.',
    reasoning: { effort: 'high', summary: 'auto' },
    text: { verbosity: 'low' },
    tools,
    include: ['reasoning.encrypted_content'],
    store: false,
    user: 'hash',
    stream: true,
  })
})

test('thoughts go back as they came; ours only with what they carry', () => {
  const details = [{ type: 'reasoning.encrypted', data: 'gAAAA', format: 'openai-responses-v1' }]
  const thought = (encrypted: unknown) => ({
    type: 'reasoning',
    id: 'rs_1',
    summary: [],
    encrypted_content: encrypted,
  })
  const input = [
    thought('gTHEIRS'),
    thought(carrierOf(MODEL.id, details)),
    thought(carrierOf('other/model', details)),
    thought(undefined),
    { role: 'assistant', content: 'a' },
    { type: 'web_search_call', id: 'ws_1' },
    { role: 'user', content: 'b' },
  ]
  assert.deepEqual(native({ input }).body.input, [
    { type: 'reasoning', summary: [], encrypted_content: 'gTHEIRS' },
    { type: 'reasoning', summary: [], encrypted_content: 'gAAAA' },
    { role: 'assistant', content: 'a' },
    { role: 'user', content: 'b' },
  ])
})

test('an upstream that was not said to speak it gets a chat', () => {
  const asked = { ...request(native({ input: 'x' })), body: { messages: [] } }
  assert.equal(openai.chat!.build(asked, target).path, '/chat/completions')
  assert.equal(openai.natively, undefined)
})

/** Events as OpenAI sends them. */
const ITEM = {
  id: 'msg_theirs',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Habari', annotations: [], logprobs: [] }],
}
const THOUGHT = { id: 'rs_theirs', type: 'reasoning', summary: [], encrypted_content: 'gAAAA' }
const place = { item_id: 'msg_theirs', output_index: 1, content_index: 0 }
const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
const usage = {
  input_tokens: 9,
  input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 3 },
  total_tokens: 14,
}
const response = (status: string) => ({ id: 'resp_theirs', model: 'gpt-5', status, output: [] })
const EVENTS: Fields[] = [
  { type: 'response.created', response: response('queued') },
  { type: 'response.in_progress', response: response('in_progress') },
  { type: 'response.output_item.added', output_index: 0, item: THOUGHT },
  { type: 'response.output_item.done', output_index: 0, item: THOUGHT },
  { type: 'response.output_item.added', output_index: 1, item: { ...ITEM, content: [] } },
  { type: 'response.content_part.added', ...place, part },
  // A text that looks like a number of an event, and like an id.
  { type: 'response.output_text.delta', ...place, delta: '"sequence_number":7 "msg_theirs"' },
  { type: 'response.output_text.done', ...place, text: 'Habari', logprobs: [] },
  { type: 'response.content_part.done', ...place, part: ITEM.content[0] },
  { type: 'response.output_item.done', output_index: 1, item: ITEM },
  {
    type: 'response.completed',
    response: { ...response('completed'), output: [THOUGHT, ITEM], usage, user: 'hash' },
  },
].map((event, i) => ({ ...event, sequence_number: i + 40 }))

/** As OpenAI's own servers write them. */
const NUMBERED_FIRST = EVENTS.map(({ type, sequence_number, ...rest }) => {
  return { type, sequence_number, ...rest }
})

test('it does not matter where an event has its number', () => {
  const plain = { type: 'response.output_text.delta', ...place, delta: 'Habari', logprobs: [] }
  const more = (events: Fields[], delta: Fields) => [
    ...events.slice(0, 6),
    delta,
    ...events.slice(6),
  ]
  const last = streamed(more(EVENTS, { ...plain, sequence_number: 9 }))
  const { type, ...rest } = plain
  const first = streamed(more(NUMBERED_FIRST, { type, sequence_number: 9, ...rest }))
  assert.deepEqual(first.shown, last.shown)
  assert.deepEqual(first.stored, last.stored)
  assert.equal(first.shown[6]!.delta, 'Habari')
  assert.equal(first.reader.outputBytes, last.reader.outputBytes)
})

function streamed(events: Fields[], encrypted = false) {
  const reader = chat.reader(request(native({ input: 'x' })), target)
  const body = { model: MODEL.id, metadata: { a: 'b' } }
  const head = { seed: SEED, model: MODEL.id, createdAt: 1, body, stores: true }
  const style = { head, clock: systemClock, tools: new Map(), encrypted, logprobs: false }
  const writer = new NativeEvents(new EventWriter(), style)
  let text = writer.begin()
  let last: readonly string[] = []
  for (const event of events) {
    const { finishes } = reader
    const chunks = reader.read({ event: event.type as string, data: JSON.stringify(event) })
    if (reader.finishes > finishes) last = chunks
    else text += writer.take(chunks)
  }
  reader.close()
  const stored: Fields[] = []
  const counted = reader.usage.kind === 'reported' ? reader.usage.usage : {}
  text += writer.finish(
    last,
    { usage: usageOf(counted), endedAt: 1 },
    (one) => stored.push(one()) > 0,
  )
  const frames = text.split('\n\n').slice(0, -1)
  const shown = frames.map((frame) => JSON.parse(frame.split('\n')[1]!.slice(6)) as Fields)
  return { reader, text, shown, stored: stored[0]! }
}

test('a stream is passed on under our names and numbers', async () => {
  const { reader, text, shown, stored } = streamed(EVENTS)
  assert.deepEqual(
    shown.map((event) => event.sequence_number),
    [...shown.keys()],
  )
  assert.deepEqual(
    shown.map(({ type }) => type),
    EVENTS.map(({ type }) => type),
  )
  const ids = [`rs_${SEED}0`, `msg_${SEED}1`]
  const final = shown.at(-1)!.response as Fields & { output: Fields[] }
  assert.deepEqual(
    final.output.map(({ id }) => id),
    ids,
  )
  assert.deepEqual([final.id, final.model, final.metadata], [`resp_${SEED}`, MODEL.id, { a: 'b' }])
  assert.deepEqual(final.usage, usage)
  assert.equal(shown[6]!.item_id, ids[1])
  assert.equal(shown[6]!.delta, '"sequence_number":7 "msg_theirs"')
  assert.doesNotMatch(text, /resp_theirs|rs_theirs|gpt-5|hash|encrypted_content/)
  assert.equal((stored.output as Fields[])[0]!.encrypted_content, 'gAAAA')
  assert.equal(reader.usage.kind, 'reported')
  const lines = shown.map((event) => `${JSON.stringify(event)}\n`).join('')
  const heard = await ResponseStream.fromReadableStream(new Blob([lines]).stream()).finalResponse()
  assert.equal(heard.output_text, 'Habari')
})

test('what closes the last item waits for the charge', () => {
  const reader = chat.reader(request(native({ input: 'x' })), target)
  const sent = EVENTS.slice(0, -1).flatMap((event) => reader.read({ data: JSON.stringify(event) }))
  const types = sent.map((event) => event.slice(0, event.indexOf('\n')))
  // The thoughts are closed, since the text has begun; the text is not.
  assert.deepEqual(
    types.filter((type) => type.endsWith('.done')),
    ['response.output_item.done'],
  )
  const { finishes } = reader
  const last = reader.read({ data: JSON.stringify(EVENTS.at(-1)) })
  assert.deepEqual([last.length, reader.finishes], [4, finishes + 1])
})

test('thoughts are shown to those who ask', () => {
  const { shown } = streamed(EVENTS, true)
  assert.equal((shown[3]!.item as Fields).encrypted_content, 'gAAAA')
})

test('a failure inside, an end that is missing, and one as chats have it', () => {
  const error = { code: 'context_length_exceeded', message: 'x' }
  const failed = { type: 'response.failed', response: { ...response('failed'), error } }
  const errorOf = (events: Fields[]) => {
    try {
      streamed(events)
    } catch (thrown) {
      return thrown as { body: unknown; at: string }
    }
    return assert.fail('did not throw')
  }
  const inside = errorOf([...EVENTS.slice(0, 4), failed]) as never
  assert.deepEqual(openai.classify(inside), { kind: 'rejected', why: 'context_length' })
  assert.equal(errorOf(EVENTS.slice(0, -1)).at, 'stream_end')
  assert.equal(errorOf([]).at, 'empty_stream')
  const reader = chat.reader(request(native({ input: 'x' })), target)
  assert.deepEqual(reader.read({ data: '[DONE]' }), [])
})

test('a whole answer is read, and counted as a chat is', () => {
  const json = { ...response('incomplete'), incomplete_details: { reason: 'max_output_tokens' } }
  const answer = { status: 200, headers: {}, json: { ...json, output: [ITEM], usage } }
  const result = chat.read(answer, request(native({ input: 'x' }), false), target)
  assert.deepEqual([result.text, result.finishReason], ['Habari', 'length'])
  assert.equal(result.usage.kind === 'reported' && result.usage.usage.cachedTokens, 4)
  assert.deepEqual((result.native as { output: unknown }).output, [ITEM])
  assert.throws(() =>
    chat.read(
      { status: 200, headers: {}, json: { status: 'queued' } },
      request(native({ input: 'x' })),
      target,
    ),
  )
})

test('the phase of a message goes both ways', () => {
  const message = { type: 'message', role: 'assistant', phase: 'commentary', content: 'Kwanza…' }
  const { body } = native({ input: [message] })
  assert.deepEqual(body.input, [message])
  const answer = nativeAnswer({ output: [{ id: 'msg_theirs', ...message }] }, SEED)
  assert.deepEqual(answer.output, [{ ...message, id: `msg_${SEED}0` }])
})

test('half a call of an upstream that speaks this dialect is refused, unless a limit cut it off', () => {
  const answer = (given: string, status: string) => {
    const output = [
      { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: given },
    ]
    return nativeAnswer({ status, output }, 'x'.repeat(24))
  }
  for (const whole of ['{}', '{"a":"}"}', '', ' ']) {
    assert.equal(answer(whole, 'completed').output.length, 1)
  }
  assert.equal(answer('{"a":', 'incomplete').status, 'incomplete')
  for (const half of ['{', '{"a":"}']) {
    assert.throws(() => answer(half, 'completed'), /invalid arguments/)
  }
})
