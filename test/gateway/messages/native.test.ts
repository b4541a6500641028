import assert from 'node:assert/strict'
import { test } from 'node:test'
import { carrierOf } from '../../../src/gateway/chat/reasoning.ts'
import { nativeRequest, type SentHeaders } from '../../../src/gateway/messages/native.ts'
import { readRequest } from '../../../src/gateway/messages/request.ts'
import type { Fields } from '../../../src/lib/json.ts'

const OURS = { id: 'msg_1', model: 'claude-door' }
const plain = {
  model: 'claude-door',
  max_tokens: 9,
  messages: [{ role: 'user', content: 'Habari' }],
}

const native = (more: Fields = {}, headers: SentHeaders = {}, tools: Fields[] = []) =>
  nativeRequest({ ...plain, ...more }, { headers, tools, catalogId: 'anthropic/door', ours: OURS })

test('what the caller wrote goes as it is, but for what would steer our account', () => {
  const kept = {
    system: [
      { type: 'text', text: 'x-anthropic-billing: x', cache_control: { type: 'ephemeral' } },
    ],
    thinking: { type: 'enabled', budget_tokens: 2_000 },
    output_config: { effort: 'max' },
    top_k: 5,
    brand_new: { a: 1 },
  }
  const dropped = {
    service_tier: 'auto',
    speed: 'fast',
    container: 'c',
    mcp_servers: [{}],
    fallbacks: [],
    inference_geo: 'us',
    thread: {},
    diagnostics: {},
    context_management: { edits: [] },
  }
  const request = native({ ...kept, ...dropped })
  assert.deepEqual(request.body, { ...plain, ...kept })
  assert.deepEqual([request.dialect, request.ours], ['messages', OURS])
})

test('betas are an open list, but for those that spend; the version is one that is known', () => {
  const beta =
    'claude-code-20250219, fast-mode-2026-02-01,interleaved-thinking-2025-05-14,oauth-2025-04-20,' +
    'mcp-client-2025-04-04,files-api-2025-04-14,a b,context-management-2025-06-27'
  const { headers, body } = native(
    { context_management: { edits: [] } },
    { 'anthropic-beta': beta, 'anthropic-version': '2026-10-21' },
  )
  assert.deepEqual(headers, {
    'anthropic-version': '2026-10-21',
    'anthropic-beta':
      'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27',
  })
  assert.deepEqual(body.context_management, { edits: [] })
  assert.deepEqual(native({}, { 'anthropic-version': '1999-01-01' }).headers, {
    'anthropic-version': '2023-06-01',
  })
})

test('tools are those that were kept; if all were, they are the very same', () => {
  const own = { name: 'f', input_schema: {} }
  const search = { type: 'web_search_20250305', name: 'web_search' }
  assert.deepEqual(native({ tools: [search, own] }, {}, [own]).body.tools, [own])
  const sent = [own]
  assert.equal(native({ tools: sent }, {}, [own]).body.tools, sent)
})

test('a search for tools goes along with what it finds; the other tools of an upstream do not', () => {
  const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }
  const deferred = { name: 'f', input_schema: {}, defer_loading: true }
  const tools = [search, deferred, { type: 'web_search_20250305', name: 'web_search' }]
  const model = {
    id: 'anthropic/door',
    outputModalities: ['text'],
    supportedParameters: [],
    caches: true,
    signs: true,
    native: true,
  }
  const kept = readRequest({ ...plain, tools }, model)
  assert.deepEqual(native({ tools }, {}, kept.tools).body.tools, [search, deferred])
  // An upstream that is asked by a chat has neither.
  const { function: converted } = (kept.chat.tools as Fields[])[0]!
  assert.equal((kept.chat.tools as Fields[]).length, 1)
  assert.deepEqual(Object.keys(converted as Fields).sort(), [
    'description',
    'name',
    'parameters',
    'strict',
  ])
  const elsewhere = readRequest({ ...plain, tools }, { ...model, native: false })
  assert.deepEqual(elsewhere.tools, [deferred])
})

test('our carrier becomes the blocks that it carries, or nothing; other thinking stays', () => {
  const format = 'anthropic-claude-v1'
  const details = [
    { type: 'reasoning.text', text: 'hm', signature: 's', format, index: 0 },
    { type: 'reasoning.encrypted', data: 'd', format, index: 1 },
  ]
  const thinking = (signature: string) => ({ type: 'thinking', thinking: 'hm', signature })
  const text = { type: 'text', text: 'ok' }
  const turn = (...content: unknown[]) => ({ role: 'assistant', content })
  const messages = [
    turn(thinking(carrierOf('anthropic/door', details)), text),
    turn(thinking(carrierOf('sim/other', details)), text),
    turn({ type: 'redacted_thinking', data: carrierOf('sim/other', details) }),
    turn(thinking('EqQBCg=='), text),
    { role: 'user', content: 'Sawa' },
  ]
  const sent = native({ messages }).body.messages as unknown[]
  assert.deepEqual(sent, [
    turn(thinking('s'), { type: 'redacted_thinking', data: 'd' }, text),
    turn(text),
    turn(thinking('EqQBCg=='), text),
    { role: 'user', content: 'Sawa' },
  ])
  assert.equal(sent[2], messages[3])
})
