import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerNames } from '../../../src/gateway/messages/answer.ts'
import { messageStreamForm, messageWhole } from '../../../src/gateway/messages/form.ts'
import { readRequest } from '../../../src/gateway/messages/request.ts'
import { toolNames } from '../../../src/gateway/messages/tools.ts'
import { Failure } from '../../../src/lib/failure.ts'
import { ABSENT } from '../../../src/upstream/contract/usage.ts'
import { gemini } from '../../../src/upstream/gemini/provider.ts'
import type { ChatRequest } from '../../../src/upstream/contract/contract.ts'

const names: AnswerNames = {
  id: 'msg_1',
  model: 'm',
  catalogId: 'google/gemini-door',
  tools: toolNames([]),
  omitsThinking: false,
}

test('silence is filled with pings, and a failure is an event', () => {
  const form = messageStreamForm(names, 5)
  assert.equal(form.heartbeat(), 'event: ping\ndata: {"type":"ping"}\n\n')
  const failure = new Failure('upstream_failed', 'x')
  assert.equal(form.fail('{"type":"error"}', failure), 'event: error\ndata: {"type":"error"}\n\n')
})

const event = (type: string, more: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
const NOTHING_AT_END = { iterations: null, output_tokens_details: null, server_tool_use: null }
const NOTHING = {
  ...NOTHING_AT_END,
  cache_creation: null,
  inference_geo: null,
  service_tier: null,
  speed: null,
}
const UNTOLD_END = { stop_details: null, container: null }
const UNTOLD = { ...UNTOLD_END, diagnostics: null }
const message = (usage?: object) => ({ message: { id: 'm', usage } })
const STOP = event('message_stop')
const DELTA = { stop_reason: 'end_turn', stop_sequence: null }

test('ready events go out as they are, but for what clients want; one that forgets its end gets it', () => {
  const form = messageStreamForm(names, 5)
  assert.equal(form.begin({ native: true }), '')
  const start = { ...message({ ...NOTHING, input_tokens: 3 }).message, ...UNTOLD }
  const sent = form.write([event('message_start', message({ input_tokens: 3 })), event('ping')])
  assert.deepEqual(dataOf(sent), { type: 'message_start', message: start })
  assert.ok(sent.endsWith(event('ping')))
  assert.equal(form.write([event('b')]), event('b'))
  assert.equal(form.end([event('c')], {}), event('c') + STOP)
  assert.equal(form.end([STOP], {}), STOP)
})

test('where an upstream does not count, what is charged for is told', () => {
  const form = messageStreamForm(names, 5)
  form.begin({ native: true })
  const counts = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  const started = message({ ...NOTHING, ...counts, input_tokens: 5, output_tokens: 0 }).message
  const sent = form.write([event('message_start', message())])
  assert.deepEqual(dataOf(sent), { type: 'message_start', message: { ...started, ...UNTOLD } })
  const wrong = { input_tokens: -4, output_tokens: 'many', service_tier: 'standard' }
  const end = form.end([event('message_delta', { delta: DELTA, usage: wrong }), STOP], {
    promptTokens: 6,
    completionTokens: 7,
  })
  const said = { input_tokens: 6, output_tokens: 7, service_tier: 'standard' }
  const usage = { ...NOTHING_AT_END, ...counts, ...said }
  assert.deepEqual(dataOf(end), {
    type: 'message_delta',
    delta: { ...UNTOLD_END, ...DELTA },
    usage,
  })
})

test('a whole answer of an upstream that says less has all that clients want', () => {
  const native = { id: 'm', content: [], stop_reason: 'end_turn' }
  const counts = { text: '', usage: ABSENT, outputBytes: 0, pictures: 0 }
  const answer = { body: {}, finishReason: 'stop', native, ...counts }
  assert.partialDeepStrictEqual(messageWhole(names)(answer, {}), { ...UNTOLD, usage: NOTHING })
})

test('why an upstream of this dialect stopped is passed on, whole or streamed', () => {
  for (const reason of ['pause_turn', 'model_context_window_exceeded', 'a_new_one']) {
    const more = { stop_reason: reason, stop_details: { type: 'x' }, container: { id: 'c' } }
    const native = { id: 'm', content: [], ...more }
    const counts = { text: '', usage: ABSENT, outputBytes: 0, pictures: 0 }
    const answer = { body: {}, finishReason: 'stop', native, ...counts }
    assert.partialDeepStrictEqual(messageWhole(names)(answer, {}), more)
    const form = messageStreamForm(names, 5)
    form.begin({ native: true })
    const { stop_reason, stop_details, container } = more
    const delta = { stop_reason, stop_details, container }
    const end = form.end([event('message_delta', { delta, usage: {} }), STOP], {})
    assert.deepEqual((dataOf(end) as { delta: unknown }).delta, delta)
  }
})

function dataOf(text: string): unknown {
  return JSON.parse(/data: (.*)/.exec(text)![1]!)
}

test('what signs a call of Gemini’s comes back with it, also to another process', () => {
  const target = { upstream: 'g', model: 'gemini-door' }
  const request: ChatRequest = {
    body: {},
    stream: true,
    ours: { id: 'chatcmpl-1', model: 'google/gemini-door', created: 5 },
  }
  const call = { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' }
  const candidate = { content: { parts: [call] }, finishReason: 'STOP' }
  const event = { event: undefined, data: JSON.stringify({ candidates: [candidate] }) }
  const chunks = gemini.chat!.reader(request, target).read(event)
  const form = messageStreamForm(names, 5)
  const text = form.begin({}) + form.end(chunks, {})
  const blocks = [...text.matchAll(/"content_block":(\{.*\})\}\n/g)].map(([, json]) =>
    JSON.parse(json!),
  ) as { type: string; id: string }[]
  assert.deepEqual(
    blocks.map(({ type }) => type),
    ['redacted_thinking', 'tool_use'],
  )
  const result = { type: 'tool_result', tool_use_id: blocks[1]!.id, content: 'ok' }
  const { chat } = readRequest(
    {
      model: 'm',
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'x' },
        { role: 'assistant', content: blocks },
        { role: 'user', content: [result] },
      ],
    },
    {
      id: 'google/gemini-door',
      outputModalities: ['text'],
      supportedParameters: [],
      caches: false,
      signs: false,
      native: false,
    },
  )
  // The id is ours, so what this process remembers of the call by its own does not help.
  const sent = gemini.chat!.build({ ...request, body: chat }, target)
  assert.match(JSON.stringify(sent.json), /"thoughtSignature":"c2ln"/)
})

test('half a call of an upstream that speaks this dialect is refused, unless a limit cut it off', () => {
  const piece = (text: string) =>
    event('content_block_delta', {
      index: 0,
      delta: { type: 'input_json_delta', partial_json: text },
    })
  const ended = (stop_reason: string) => [
    event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: {} }),
    STOP,
  ]
  const answer = (pieces: string[], why: string) => {
    const form = messageStreamForm(names, 5)
    form.begin({ native: true })
    form.write([event('message_start', message()), event('content_block_start', { index: 0 })])
    for (const text of pieces) form.write([piece(text)])
    return form.end([event('content_block_stop', { index: 0 }), ...ended(why)], {})
  }
  for (const whole of [['{"a":', '"}"}'], [], ['{}'], ['']]) {
    assert.ok(answer(whole, 'tool_use').endsWith(STOP))
  }
  assert.ok(answer(['{"a":'], 'max_tokens').endsWith(STOP))
  for (const half of [['{'], ['{"a":', '"}']]) {
    assert.throws(() => answer(half, 'tool_use'), /invalid arguments/)
  }
})
