import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '../../../src/upstream/contract/contract.ts'
import { openrouter } from '../../../src/upstream/openrouter/provider.ts'

const claude = { upstream: 'o', model: 'anthropic/claude-door' }
const other = { upstream: 'o', model: 'sim/hekima' }
const request: ChatRequest = {
  body: { messages: [{ role: 'user', content: 'Habari' }] },
  stream: true,
  user: 'hash',
  ours: { id: 'chatcmpl-1', model: 'anthropic/door', created: 5 },
  native: {
    dialect: 'messages',
    only: false,
    body: {
      model: 'claude-door',
      max_tokens: 9,
      messages: [],
      tools: [{ name: 'f', input_schema: {} }],
    },
    headers: { 'anthropic-version': '2023-06-01' },
    ours: { id: 'msg_ours', model: 'claude-door' },
  },
}

const native = openrouter.natively!('messages', claude)!

test('Messages for models of Anthropic’s go as they are', () => {
  assert.equal(openrouter.natively?.('messages', other), undefined)
  const call = native.build(request, claude)
  assert.equal(call.path, '/messages')
  assert.deepEqual(JSON.parse(JSON.stringify(call.json)), {
    model: 'anthropic/claude-door',
    max_tokens: 9,
    messages: [],
    tools: [{ name: 'f', input_schema: {} }],
    metadata: { user_id: 'hash' },
    stream: true,
  })
})

test('for any other model the same request is a chat', () => {
  const call = openrouter.chat!.build(request, other)
  assert.equal(call.path, '/chat/completions')
  assert.equal(openrouter.chat!.reader(request, other).native, undefined)
})

test('prices, the provider’s name and [DONE] are cut', () => {
  const usage = { input_tokens: 3, output_tokens: 1, cost: 0.1, is_byok: false, cost_details: {} }
  const message = { id: 'gen-1', type: 'message', content: [], provider: 'SimProvider', usage }
  const whole = native.read({ status: 200, headers: {}, json: message }, request, claude)
  assert.deepEqual(whole.native, {
    id: 'msg_ours',
    model: 'claude-door',
    type: 'message',
    content: [],
    usage: { input_tokens: 3, output_tokens: 1 },
  })
  const reader = native.reader(request, claude)
  const events = [
    { type: 'message_start', message },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ]
  const data = [...events.map((event) => JSON.stringify(event)), '[DONE]']
  const sent = data.flatMap((one) => reader.read({ event: undefined, data: one })).join('')
  reader.close()
  assert.equal(reader.done, true)
  assert.doesNotMatch(sent, /cost|byok|SimProvider|DONE/)
})
