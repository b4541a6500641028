import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { anthropic } from '../../../src/upstream/anthropic/provider.ts'
import type { ChatRequest, SseEvent } from '../../../src/upstream/contract/contract.ts'
import {
  failureOf,
  UpstreamError,
  StatusError,
  classifyError,
} from '../../../src/upstream/contract/upstream-error.ts'

const target = { upstream: 'a', model: 'claude-door-1' }
const request: ChatRequest = {
  body: { messages: [{ role: 'user', content: 'Habari' }] },
  stream: false,
  user: 'hash',
  ours: { id: 'chatcmpl-1', model: 'anthropic/door', created: 5 },
  native: {
    dialect: 'messages',
    only: false,
    body: { model: 'claude-door', max_tokens: 9, messages: [], metadata: { user_id: 'theirs' } },
    headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': 'x-1' },
    ours: { id: 'msg_ours', model: 'claude-door' },
  },
}
const chat = anthropic.natively!('messages', { upstream: 'u', model: 'm' })!

describe('a native request', () => {
  it('goes as it is, to the model of the upstream and in the name of our account', () => {
    const call = chat.build({ ...request, stream: true }, target)
    assert.equal(call.path, '/messages')
    assert.deepEqual(call.headers, {
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'x-1',
    })
    assert.deepEqual(JSON.parse(JSON.stringify(call.json)), {
      model: 'claude-door-1',
      max_tokens: 9,
      messages: [],
      metadata: { user_id: 'hash' },
      stream: true,
    })
  })

  it('is no longer than the account can pay for, thinking included', () => {
    const sent = (mostTokens: number, thinking: object) => {
      const body = { ...request.native!.body, max_tokens: 8_000, thinking }
      const native = { ...request.native!, body }
      const call = chat.build({ ...request, native, mostTokens }, target)
      const made = JSON.parse(JSON.stringify(call.json)) as Record<string, unknown>
      return [made.max_tokens, made.thinking]
    }
    const enabled = { type: 'enabled', budget_tokens: 4_000 }
    assert.deepEqual(sent(9_000, enabled), [8_000, enabled])
    assert.deepEqual(sent(5_000, enabled), [5_000, enabled])
    assert.deepEqual(sent(2_000, enabled), [2_000, { type: 'enabled', budget_tokens: 1_999 }])
    assert.deepEqual(sent(500, enabled), [500, { type: 'disabled' }])
    assert.deepEqual(sent(500, { type: 'adaptive' }), [500, { type: 'adaptive' }])
  })

  it('is answered with our names; it is read as a chat as well', () => {
    const json = {
      id: 'msg_theirs',
      type: 'message',
      role: 'assistant',
      model: 'claude-door-1',
      content: [{ type: 'text', text: 'Habari', citations: null }],
      stop_reason: 'stop_sequence',
      stop_sequence: 'X',
      usage: { input_tokens: 3, output_tokens: 2, cache_read_input_tokens: 4 },
    }
    const result = chat.read({ status: 200, headers: {}, json }, request, target)
    assert.deepEqual(result.native, { ...json, id: 'msg_ours', model: 'claude-door' })
    assert.equal(result.text, 'Habari')
    assert.equal(result.generationId, 'msg_theirs')
    assert.ok(result.usage.kind === 'reported' && result.usage.usage.promptTokens === 7)
  })

  it('counts tokens without what counting does not know', () => {
    const body = { ...request.native!.body, temperature: 1, stop_sequences: ['X'], system: 's' }
    const call = anthropic.count!.build(
      { ...request, native: { ...request.native!, body } },
      target,
    )
    assert.equal(call.path, '/messages/count_tokens')
    const sent = JSON.parse(JSON.stringify(call.json)) as object
    assert.deepEqual(sent, { model: 'claude-door-1', messages: [], system: 's' })
    const read = (json: unknown) =>
      anthropic.count!.read({ status: 200, headers: {}, json }, request, target)
    assert.deepEqual(read({ input_tokens: 12 }), { tokens: 12 })
    for (const bad of [{}, { input_tokens: -1 }, { input_tokens: '12' }, []]) {
      assert.throws(() => read(bad), UpstreamError)
    }
  })
})

describe('a native stream', () => {
  const SSE = readFileSync(new URL('../fixtures/anthropic-tool-use.sse', import.meta.url), 'utf8')
  const events = SSE.split('\n\n').flatMap((block): SseEvent[] => {
    const name = /^event: (.*)$/m.exec(block)?.[1]
    const data = /^data: (.*)$/m.exec(block)?.[1]
    return data === undefined ? [] : [{ event: name, data }]
  })

  it('passes events on; only the start and the totals are changed', () => {
    const reader = chat.reader(request, target)
    const held: string[] = []
    const sent = events.flatMap((event) => {
      const { finishes } = reader
      const frames = reader.read(event)
      if (reader.finishes > finishes) held.push(...frames)
      return frames
    })
    reader.close()
    assert.equal(reader.native, true)
    assert.equal(sent.length, events.length)
    sent.forEach((frame, i) => {
      const { event, data } = events[i]!
      if (event === 'message_start' || event === 'message_delta') return
      assert.equal(frame, `event: ${event}\ndata: ${data}\n\n`)
    })
    const start = JSON.parse(sent[0]!.split('\ndata: ')[1]!) as { message: object }
    const { message } = JSON.parse(events[0]!.data) as { message: object }
    assert.deepEqual(start.message, { ...message, id: 'msg_ours', model: 'claude-door' })
    assert.deepEqual(
      held.map((frame) => /^event: (\w+)/.exec(frame)![1]),
      ['content_block_stop', 'message_delta', 'message_stop'],
    )
    const { usage } = JSON.parse(held[1]!.split('\ndata: ')[1]!) as { usage: object }
    assert.ok('input_tokens' in usage && 'output_tokens' in usage)
  })

  it('passes any piece of text on and counts it, however its JSON is written', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.constantFrom('"', '\\', ''),
    )
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), (pieces) => {
        for (const blank of ['', ' ']) {
          const reader = chat.reader(request, target)
          reader.read(events[0]!)
          const said = pieces.map((piece) => {
            const delta = { type: 'text_delta', text: piece }
            const event = JSON.stringify({ type: 'content_block_delta', index: 0, delta })
            // With a blank in front of its members it is not in the usual form.
            const data = event.replace('{', `{${blank}`)
            const [frame] = reader.read({ event: 'content_block_delta', data })
            assert.equal(frame, `event: content_block_delta\ndata: ${data}\n\n`)
            return piece
          })
          assert.equal(reader.outputBytes, Buffer.byteLength(said.join('')))
        }
      }),
    )
  })

  it('counts as the translating reader does', () => {
    const [native, translating] = [
      chat.reader(request, target),
      anthropic.chat!.reader({ ...request, native: undefined }, target),
    ]
    for (const event of events) {
      native.read(event)
      translating.read(event)
    }
    assert.deepEqual(native.usage, translating.usage)
    assert.equal(native.outputBytes, translating.outputBytes)
    assert.equal(native.finishReason, translating.finishReason)
    assert.equal(native.generationId, translating.generationId)
  })

  it('keeps an event on one line, and lets no name break out of its frame', () => {
    const reader = chat.reader(request, target)
    const ping = { event: 'ping', data: '{"type":"ping"}' }
    assert.deepEqual(reader.read(ping), [], 'nothing before the start')
    reader.read(events[0]!)
    const broken = { event: undefined, data: '{"type":\n"ping"}' }
    assert.deepEqual(reader.read(broken), ['event: ping\ndata: {"type":"ping"}\n\n'])
    for (const data of ['{"type":"a\\nb"}', '{}', '[]', 'x']) {
      assert.throws(() => reader.read({ event: undefined, data }), UpstreamError)
    }
    assert.throws(() => chat.reader(request, target).close(), UpstreamError)
    const error = '{"type":"error","error":{"type":"overloaded_error"}}'
    assert.throws(() => reader.read({ event: 'error', data: error }), StatusError)
  })
})

describe('a refusal of a native request', () => {
  const sent = '{"messages":[{"role":"assistant","content":[{"type":"thinking"}]}]}'
  const failureFor = (status: number, message: string, keeps400 = true) => {
    const error = { type: 'invalid_request_error', message }
    const broken = new StatusError(status, { type: 'error', error })
    return failureOf(classifyError(broken, anthropic, { keeps400 }, { names: [], sent }), broken)
  }

  it('stays a 400 in the words that clients act on', () => {
    const words = 'messages.1.content.0: Invalid `signature` in `thinking` block'
    const failure = failureFor(400, words)
    assert.deepEqual([failure.kind, failure.message], ['unsuitable', words])
    assert.equal(failureFor(400, words, false).kind, 'upstream_rejected')
    assert.equal(failureFor(404, 'model: claude-door-1').kind, 'upstream_rejected')
    assert.equal(failureFor(400, '').kind, 'upstream_rejected')
    const long = failureFor(400, 'prompt is too long: 210000 tokens > 200000 maximum')
    assert.equal(long.code, 'context_length_exceeded')
    const money = failureFor(400, 'Your credit balance is too low to access the API.')
    assert.equal(money.kind, 'upstream_failed')
  })
})
