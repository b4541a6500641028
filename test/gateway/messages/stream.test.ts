import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Anthropic } from '@anthropic-ai/sdk'
import fc from 'fast-check'
import { carriedDetails } from '../../../src/gateway/chat/reasoning.ts'
import { readAnswer, endingOf, type AnswerNames } from '../../../src/gateway/messages/answer.ts'
import { MessageEvents } from '../../../src/gateway/messages/stream.ts'
import { toolNames } from '../../../src/gateway/messages/tools.ts'
import { messageUsage } from '../../../src/gateway/messages/usage.ts'
import type { Fields } from '../../../src/lib/json.ts'
import type { Loose } from '../../support/loose.ts'

const LONG = `mcp__${'x'.repeat(75)}`
const names: AnswerNames = {
  id: 'msg_1',
  model: 'mbuni[1m]',
  catalogId: 'sim/mbuni',
  tools: toolNames([LONG]),
  omitsThinking: false,
}
const chunk = (delta: Fields, finish: string | null = null) =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })
const call = (index: number, text: string, id?: string, name?: string) => ({
  tool_calls: [{ index, id, function: { name, arguments: text } }],
})
const USAGE = { promptTokens: 100, completionTokens: 20, cachedTokens: 30, cacheWriteTokens: 40 }

function streamed(deltas: Fields[], finish = 'stop', by = names): string {
  const events = new MessageEvents(by)
  let text = events.start(77)
  for (const delta of deltas) text += events.write([chunk(delta)])
  return text + events.end([chunk({}, finish)], USAGE)
}

/** Members that clients want, where there is nothing to say. */
const NOTHING_AT_END = { iterations: null, output_tokens_details: null, server_tool_use: null }
const NOTHING = {
  ...NOTHING_AT_END,
  cache_creation: null,
  inference_geo: null,
  service_tier: null,
  speed: null,
}
const EMPTY = { type: 'text', text: '' }

type Event = {
  type: string
  index: number
  content_block: { type: string; id: string; name: string; input: unknown }
}
function eventsIn(text: string): Event[] {
  return text.split('\n\n').flatMap((block) => {
    if (block === '') return []
    const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(block)!
    const event = JSON.parse(data!) as Event
    assert.equal(event.type, name)
    return [event]
  })
}
const types = (text: string) => eventsIn(text).map(({ type }) => type)

/** What Anthropic's own client makes of it. */
function readBySdk(text: string) {
  const client = new Anthropic({
    apiKey: 'x',
    maxRetries: 0,
    fetch: async () => new Response(text, { headers: { 'content-type': 'text/event-stream' } }),
  })
  const messages = [{ role: 'user' as const, content: 'x' }]
  return client.messages.stream({ model: 'm', max_tokens: 1, messages }).finalMessage()
}

test('text: start with the estimate, ping, one block, totals, stop', () => {
  const text = streamed([
    { role: 'assistant', content: '' },
    { content: 'Ha' },
    { content: 'bari' },
  ])
  assert.deepEqual(eventsIn(text), [
    {
      type: 'message_start',
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'mbuni[1m]',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        stop_details: null,
        container: null,
        diagnostics: null,
        usage: {
          ...NOTHING,
          input_tokens: 77,
          output_tokens: 0,
          cache_creation_input_tokens: 0,
          cache_read_input_tokens: 0,
        },
      },
    },
    { type: 'ping' },
    { type: 'content_block_start', index: 0, content_block: { ...EMPTY, citations: null } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Ha' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'bari' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null, stop_details: null, container: null },
      usage: {
        ...NOTHING_AT_END,
        input_tokens: 30,
        output_tokens: 20,
        cache_creation_input_tokens: 40,
        cache_read_input_tokens: 30,
      },
    },
    { type: 'message_stop' },
  ])
})

test('thinking, then calls: each block is closed before the next', () => {
  const text = streamed(
    [{ reasoning: 'Hm' }, call(0, '{"a":1}', 'x', names.tools.short(LONG)), call(1, '', 'x', 'g')],
    'tool_calls',
  )
  const block = ['content_block_start', 'content_block_delta', 'content_block_stop']
  const thinking = block.toSpliced(1, 0, 'content_block_delta')
  const end = ['message_delta', 'message_stop']
  assert.deepEqual(types(text), ['message_start', 'ping', ...thinking, ...block, ...block, ...end])
  const [thought, first, second] = eventsIn(text).filter(({ content_block: one }) => one)
  assert.deepEqual(thought!.content_block, { type: 'thinking', thinking: '', signature: '' })
  assert.deepEqual(
    [first!.index, first!.content_block.name, first!.content_block.input],
    [1, LONG, {}],
  )
  assert.match(first!.content_block.id, /^toolu_[0-9A-Za-z]{24}$/)
  assert.notEqual(first!.content_block.id, second!.content_block.id)
})

test('reasoning without a text is one redacted block', async () => {
  const detail = { type: 'reasoning.encrypted', data: 'd', index: 0 }
  const message = await readBySdk(streamed([{ reasoning_details: [detail] }, { content: 'ok' }]))
  const [redacted, text] = message.content
  assert.ok(redacted?.type === 'redacted_thinking' && text?.type === 'text')
  assert.deepEqual(carriedDetails(redacted.data, 'sim/mbuni'), [detail])
})

test('thinking whose text is not wanted keeps what signs it, whole or streamed', async () => {
  const silent = { ...names, omitsThinking: true }
  const detail = { type: 'reasoning.text', text: 'Hm', signature: 's', index: 0 }
  const said = { reasoning: 'Hm', reasoning_details: [detail], content: 'ok' }
  const text = streamed([said], 'stop', silent)
  const [thinking, answer] = (await readBySdk(text)).content
  assert.ok(thinking?.type === 'thinking' && answer?.type === 'text')
  assert.equal(thinking.thinking, '')
  assert.deepEqual(carriedDetails(thinking.signature, 'sim/mbuni'), [detail])
  assert.doesNotMatch(text, /thinking_delta/)
  assert.deepEqual(readAnswer(said, 'stop', silent).content, [thinking, answer])
})

test('an answer with nothing in it has no blocks', () => {
  assert.deepEqual(types(streamed([{ content: '' }])), [
    'message_start',
    'ping',
    'message_delta',
    'message_stop',
  ])
})

test('why it stopped: calls are there to be made, unless one was cut off', () => {
  const [none, whole, cutOff] = [
    { any: false, cutOff: false },
    { any: true, cutOff: false },
    { any: true, cutOff: true },
  ]
  const reasons = [
    ['stop', none, 'end_turn'],
    ['stop', whole, 'tool_use'],
    ['tool_calls', whole, 'tool_use'],
    ['length', none, 'max_tokens'],
    ['length', whole, 'tool_use'],
    ['length', cutOff, 'max_tokens'],
    ['content_filter', none, 'refusal'],
    ['content_filter', whole, 'tool_use'],
    ['content_filter', cutOff, 'refusal'],
    [null, none, 'end_turn'],
  ] as const
  for (const [finish, calls, reason] of reasons) {
    const details =
      reason === 'refusal' ? { type: 'refusal', category: null, explanation: null } : null
    assert.deepEqual(endingOf(finish, calls), {
      stop_reason: reason,
      stop_sequence: null,
      stop_details: details,
      container: null,
    })
  }
})

test('usage: what is in the cache is counted beside the input', () => {
  const plain = {
    ...NOTHING,
    input_tokens: 0,
    output_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  }
  assert.deepEqual(messageUsage({}), plain)
  assert.equal(messageUsage({ promptTokens: 5, cachedTokens: 9 }).input_tokens, 0)
  const { cache_creation: written } = messageUsage({ ...USAGE, cacheWrite1hTokens: 25 })
  assert.deepEqual(written, { ephemeral_5m_input_tokens: 15, ephemeral_1h_input_tokens: 25 })
  const thinking = messageUsage({ ...USAGE, reasoningTokens: 7 }).output_tokens_details
  assert.deepEqual(thinking, { thinking_tokens: 7 })
})

for (const args of ['', '{', '{"a', '{"a":{}']) {
  test(`a call that was cut off at ${args || 'its start'} is left out of a whole answer`, () => {
    const made = { content: 'a', tool_calls: [{ function: { name: 'f', arguments: args } }] }
    const content = [{ type: 'text', text: 'a', citations: null }]
    for (const [finish, stopReason] of [
      ['length', 'max_tokens'],
      ['content_filter', 'refusal'],
    ] as const) {
      const answer = readAnswer(made, finish, names)
      assert.deepEqual([answer.content, answer.ending.stop_reason], [content, stopReason])
      const text = streamed([{ content: 'a' }, call(0, args, 'x', 'f')], finish)
      assert.equal((eventsIn(text).at(-2) as Loose).delta.stop_reason, stopReason)
    }
    if (args === '') return
    assert.throws(() => readAnswer(made, 'stop', names), { message: /invalid arguments/ })
  })
}

test('a call without a name is nobody’s, and no reason to stop', () => {
  const text = streamed([{ content: 'a' }, call(0, '{}')], 'tool_calls')
  assert.equal((eventsIn(text).at(-2) as Loose).delta.stop_reason, 'end_turn')
})

test('however an answer is cut into chunks, its stream adds up to the whole', async () => {
  const message = fc.record({
    reasoning: fc.string(),
    content: fc.string({ unit: 'grapheme' }),
    calls: fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 3 }),
    finish: fc.constantFrom('stop', 'length', 'content_filter', 'tool_calls'),
    /** Of the last call, when the answer was cut off. */
    missing: fc.nat({ max: 3 }),
  })
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(message, sizes, async (made, cuts) => {
      const isCut = made.finish === 'length' || made.finish === 'content_filter'
      const tool_calls = made.calls.map((args, i) => {
        const text = JSON.stringify(args)
        const missing = isCut && i === made.calls.length - 1 ? made.missing : 0
        const sent = text.slice(0, text.length - missing)
        return { id: `c${i}`, function: { name: `f${i}`, arguments: sent } }
      })
      const whole = { reasoning: made.reasoning, content: made.content, tool_calls }
      const deltas = [
        ...cut(made.reasoning, cuts).map((reasoning) => ({ reasoning })),
        ...cut(made.content, cuts).map((content) => ({ content })),
        ...tool_calls.map(({ id, function: { name } }, i) => call(i, '', id, name)),
        ...mixed(
          tool_calls.map((one, i) =>
            cut(one.function.arguments, cuts).map((text) => call(i, text)),
          ),
        ),
      ]
      const added = await readBySdk(streamed(deltas, made.finish))
      const { content, ending } = readAnswer(whole, made.finish, names)
      // A call that was cut off cannot be taken back from a stream.
      const kept = added.content.slice(0, content.length)
      const taken = isCut && made.calls.length > 0 && made.missing > 0 ? 1 : 0
      assert.equal(added.content.length, content.length + taken)
      assert.deepEqual(plain(kept), plain(content))
      assert.equal(added.stop_reason, ending.stop_reason)
      assert.equal(added.usage.input_tokens, 30)
    }),
    { numRuns: 100 },
  )
})

/** Ids are new every time. */
function plain(content: readonly object[]): unknown {
  return JSON.parse(
    JSON.stringify(content, (name, value: unknown) => (name === 'id' ? 'id' : value)),
  )
}

function cut(text: string, sizes: readonly number[]): string[] {
  const pieces: string[] = []
  for (let at = 0, i = 0; at < text.length; i++) {
    const size = sizes[i % sizes.length]!
    pieces.push(text.slice(at, at + size))
    at += size
  }
  return pieces
}

/** One of each in turn. */
function mixed<T>(lists: T[][]): T[] {
  const longest = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length: longest }, (_, i) =>
    lists.flatMap((list) => list.slice(i, i + 1)),
  ).flat()
}
