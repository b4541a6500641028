import assert from 'node:assert/strict'
import { test } from 'node:test'
import { carrierOf } from '../../../src/gateway/chat/reasoning.ts'
import type { SentHeaders } from '../../../src/gateway/gateway.ts'
import { nativeRequest } from '../../../src/gateway/messages/native.ts'
import { readRequest } from '../../../src/gateway/messages/request.ts'
import type { Fields } from '../../../src/lib/json.ts'

const OURS = { id: 'msg_1', model: 'claude-door' }
const plain = {
  model: 'claude-door',
  max_tokens: 9,
  messages: [{ role: 'user', content: 'Habari' }],
}

const native = (more: Fields = {}, headers: SentHeaders = {}, tools: Fields[] = []) =>
  nativeRequest(
    { ...plain, ...more },
    { headers, tools, model: { id: 'anthropic/door' }, ours: OURS },
  )

test('what the caller wrote goes as it is; context is managed only with its beta', () => {
  const kept = {
    system: [
      { type: 'text', text: 'x-anthropic-billing: x', cache_control: { type: 'ephemeral' } },
    ],
    thinking: { type: 'enabled', budget_tokens: 2_000 },
    output_config: { effort: 'max' },
    top_k: 5,
  }
  const request = native({ ...kept, context_management: { edits: [] } })
  assert.deepEqual(request.body, { ...plain, ...kept })
  assert.deepEqual(request.leftOut, ['context_management'])
  assert.deepEqual([request.dialect, request.ours], ['messages', OURS])
})

test('betas are those that are known to cost nothing; the version is one that is known', () => {
  const kept =
    'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,effort-2027-01-01'
  const left = [
    'fast-mode-2026-02-01',
    'oauth-2025-04-20',
    'mcp-client-2025-04-04',
    'files-api-2025-04-14',
    'fallback-credit-2026-07-01',
    'user-profiles-billing-2026-09-04',
    'compact-2026-09-04',
    'inline-tools-2026-09-15',
    'context-1m-2025-08-07',
    'constructor',
  ]
  const { headers, body, leftOut } = native(
    { context_management: { edits: [] } },
    { 'anthropic-beta': `${kept}, a b,${left.join(', ')}`, 'anthropic-version': '2026-10-21' },
  )
  assert.deepEqual(headers, { 'anthropic-version': '2026-10-21', 'anthropic-beta': kept })
  assert.deepEqual(
    leftOut,
    left.map((beta) => `anthropic-beta=${beta}`),
  )
  assert.deepEqual(body.context_management, { edits: [] })
  assert.deepEqual(native({}, { 'anthropic-version': '1999-01-01' }).headers, {
    'anthropic-version': '2023-06-01',
  })
})

test('a long context is asked for only where the catalog has it', () => {
  const beta = 'context-1m-2025-08-07'
  const asked = (contextLength: number) =>
    nativeRequest(plain, {
      headers: { 'anthropic-beta': beta },
      tools: [],
      model: { id: 'anthropic/door', contextLength },
      ours: OURS,
    })
  assert.equal(asked(1_000_000).headers['anthropic-beta'], beta)
  assert.deepEqual(asked(200_000).leftOut, [`anthropic-beta=${beta}`])
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
  assert.deepEqual(kept.tools, [search, deferred])
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
