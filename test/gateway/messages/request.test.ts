import assert from 'node:assert/strict'
import { test } from 'node:test'
import { carrierOf } from '../../../src/gateway/chat/reasoning.ts'
import type { MessagesBody, ReadingModel } from '../../../src/gateway/messages/body.ts'
import { readRequest, unreadInMessages } from '../../../src/gateway/messages/request.ts'
import { Failure } from '../../../src/lib/failure.ts'

const MODEL: ReadingModel = {
  id: 'sim/mbuni',
  maxOutputTokens: 8_192,
  outputModalities: ['text'],
  supportedParameters: ['max_tokens', 'reasoning', 'tools'],
  caches: false,
  signs: false,
  native: false,
}
const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const text = (said: string, more: object = {}) => ({ type: 'text', text: said, ...more })
const use = (id: string, name = 'f', input: unknown = {}) => ({ type: 'tool_use', id, name, input })
const result = (id: string, content?: unknown, more: object = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...more,
})
const PNG = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
const PNG_PART = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }

const read = (body: Partial<MessagesBody> & Record<string, unknown>, model = MODEL) =>
  readRequest({ model: 'x', max_tokens: 100, messages: [user('Habari')], ...body }, model).chat
const messagesOf = (messages: unknown[], model = MODEL) => read({ messages }, model).messages
const refusedAt = (param: string, body: Parameters<typeof read>[0]) =>
  assert.throws(
    () => read(body),
    (error) => error instanceof Failure && error.param === param && error.message.startsWith(param),
    param,
  )

test('a summary in place of the conversation, and tools inside it, are not to be had', () => {
  refusedAt('compaction', { compaction: { type: 'summarize' } })
  const edits = [{ type: 'clear_thinking_20251015' }, { type: 'compact_20260112' }]
  refusedAt('context_management.edits[1].type', { context_management: { edits } })
  const addition = { type: 'tool_addition', tool: { type: 'tool_reference', tool_name: 'f' } }
  const messages = [user('a'), { role: 'system', content: [addition] }]
  refusedAt('messages[1].content[0].type', { messages })
})

const summary = (content: unknown, more: object = {}) => ({ type: 'compaction', content, ...more })
const told = (said: string) => user(`The conversation so far, in summary:\n\n${said}`)

test('a summary in the history stands for everything before it', () => {
  const old = [user('a'), assistant([use('t')]), user([result('t', 'x')])]
  const after = [user('c'), assistant('d'), user('e')]
  const only = [...old, assistant([summary('kuhusu mahindi')]), ...after]
  const [first, ...rest] = messagesOf(only) as { content: unknown }[]
  assert.deepEqual(first!.content, [text(told('kuhusu mahindi').content as string), text('c')])
  assert.deepEqual(rest, after.slice(1))
  const within = [
    ...old,
    assistant([text('b'), summary('m1'), summary('m2'), text('n')]),
    user('e'),
  ]
  assert.deepEqual(messagesOf(within), [told('m2'), assistant('n'), user('e')])
  const sent = readRequest({ model: 'x', max_tokens: 1, messages: within }, MODEL).messages
  assert.deepEqual(sent, [
    user([text(String(told('m2').content))]),
    assistant([text('n')]),
    user('e'),
  ])
})

test('a summary that was not made leaves what came before, and none brings tools', () => {
  const messages = [user('a'), assistant([summary(null), text('b')]), user('c')]
  assert.deepEqual(messagesOf(messages), [user('a'), assistant('b'), user('c')])
  const nothing = [user('a'), assistant([summary(null)]), user('c')]
  assert.deepEqual(messagesOf(nothing), [user([text('a'), text('c')])])
  const at = (...content: unknown[]) => ({ messages: [user('a'), assistant(content), user('c')] })
  const changes = { tool_changes: [{ type: 'tool_addition' }] }
  refusedAt('messages[1].content[0].tool_changes', at(summary('m', changes)))
  refusedAt('messages[1].content[0].content', at(summary(7)))
  refusedAt('messages[1].content[2].text', at(summary('m'), text('n'), { type: 'text' }))
})

test('the plainest request', () => {
  assert.deepEqual(read({}), {
    model: 'sim/mbuni',
    messages: [user('Habari')],
    max_tokens: 100,
  })
})

test('max_tokens is clamped to what the model can give, under the name that it knows', () => {
  assert.equal(read({ max_tokens: 32_000 }).max_tokens, 8_192)
  const newer = {
    ...MODEL,
    maxOutputTokens: undefined,
    supportedParameters: ['max_completion_tokens'],
  }
  assert.equal(read({ max_tokens: 32_000 }, newer).max_completion_tokens, 32_000)
})

test('sampling is honoured, unknown fields are dropped', () => {
  const sampling = { temperature: 0.5, top_p: 0.9, top_k: 40, stop_sequences: ['X'] }
  const dropped = {
    service_tier: 'auto',
    metadata: { user_id: 'u' },
    mcp_servers: [],
    context_management: {},
    brand_new: 1,
  }
  const {
    model: _model,
    messages: _messages,
    max_tokens: _most,
    ...rest
  } = read({ ...sampling, ...dropped })
  assert.deepEqual(rest, { temperature: 0.5, top_p: 0.9, stop: ['X'] })
  const knowing = { ...MODEL, supportedParameters: ['top_k'] }
  assert.equal(read({ top_k: 40 }, knowing).top_k, 40)
})

test('what the model is not given is named', () => {
  const unread = (body: Record<string, unknown>, supportedParameters: string[] = []) =>
    unreadInMessages(body, { ...MODEL, supportedParameters })
  assert.deepEqual(unread({ top_k: 40, speed: 'fast', container: null }), ['speed', 'top_k'])
  const deep = { thinking: { type: 'adaptive' }, output_config: { effort: 'max', format: {} } }
  assert.deepEqual(unread(deep), ['thinking', 'output_config.effort'])
  assert.deepEqual(unread({ ...deep, top_k: 40 }, ['reasoning', 'top_k']), [])
})

test('system: a string or blocks, without the note of a client to its provider', () => {
  assert.deepEqual(read({ system: 'Be brief.' }).messages[0], {
    role: 'system',
    content: 'Be brief.',
  })
  const noted = [
    text('x-anthropic-billing-header: cc'),
    text('A', { cache_control: {} }),
    text('B'),
  ]
  assert.deepEqual(read({ system: noted }).messages[0], { role: 'system', content: 'A\n\nB' })
  assert.equal(read({ system: [text('x-anthropic-x: y')] }).messages.length, 1)
  const caching = { ...MODEL, caches: true }
  assert.deepEqual(read({ system: noted }, caching).messages[0], {
    role: 'system',
    content: [text('A', { cache_control: {} }), text('B')],
  })
  refusedAt('system', { system: 1 })
  refusedAt('system[0].text', { system: [{ type: 'text' }] })
})

test('a system message may stand between others, but not between calls and their results', () => {
  const system = { role: 'system', content: 'Now in Swahili.' }
  const moved = messagesOf([
    user('a'),
    assistant([use('t1')]),
    system,
    user([result('t1', 'ok'), text('go on')]),
    system,
  ])
  assert.deepEqual(
    moved.map((one) => (one as { role: string }).role),
    ['user', 'assistant', 'tool', 'system', 'user', 'system'],
  )
})

test('a turn with calls, whose results come out of order and beside text', () => {
  const messages = messagesOf([
    user('a'),
    assistant([text('Looking.'), use('t1', 'f', { x: 1 }), use('t2', 'g', 'nonsense')]),
    user([text('And hurry.'), result('t2', [text('two'), text('lines')]), result('t1', 'one')]),
  ])
  assert.deepEqual(messages.slice(1), [
    {
      role: 'assistant',
      content: 'Looking.',
      tool_calls: [
        { id: 't1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
        { id: 't2', type: 'function', function: { name: 'g', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 't1', content: 'one' },
    { role: 'tool', tool_call_id: 't2', content: 'two\nlines' },
    user('And hurry.'),
  ])
})

test('neighbours of one role are one turn', () => {
  const messages = messagesOf([
    user('a'),
    user('b'),
    assistant([use('t1')]),
    assistant([use('t2')]),
    user([result('t1', '1')]),
    user([result('t2', '2')]),
  ])
  assert.deepEqual(
    messages.map((one) => (one as { role: string }).role),
    ['user', 'assistant', 'tool', 'tool'],
  )
  assert.deepEqual(messages[0], user([text('a'), text('b')]))
})

test('media of results stand in one message after all of them, each with the id of its result', () => {
  const pdf = { type: 'base64', media_type: 'application/pdf', data: 'BBBB' }
  const messages = messagesOf([
    user('a'),
    assistant([use('t1'), use('t2')]),
    user([
      result('t1', [PNG]),
      result('t2', [text('A paper.'), { type: 'document', source: pdf, title: 'p.pdf' }]),
      text('Which?'),
    ]),
  ])
  assert.deepEqual(messages.slice(2), [
    { role: 'tool', tool_call_id: 't1', content: '(attached below)' },
    { role: 'tool', tool_call_id: 't2', content: 'A paper.' },
    user([
      text('From the result of t1:'),
      PNG_PART,
      text('From the result of t2:'),
      { type: 'file', file: { filename: 'p.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
      text('Which?'),
    ]),
  ])
})

test('results of errors and empty ones have a text', () => {
  const contents = (...results: object[]) => {
    const ids = results.map((_, i) => `t${i}`)
    return messagesOf([user('a'), assistant(ids.map((id) => use(id))), user(results)])
      .slice(2)
      .map((one) => (one as { content: string }).content)
  }
  assert.deepEqual(
    contents(
      result('t0', 'no such file', { is_error: true }),
      result('t1'),
      result('t2', [], { is_error: true }),
      result('t3', [text('')]),
      result('t4', [{ type: 'tool_reference', tool_name: 'WebFetch' }]),
      result('t5', [{ type: 'search_result', title: 'T', source: 's', content: [text('c')] }]),
    ),
    [
      'Error: no such file',
      '(no output)',
      'Error: (no output)',
      '(no output)',
      'WebFetch',
      'T\ns\nc',
    ],
  )
})

test('calls and results must be pairs', () => {
  const calls = [user('a'), assistant([use('t1'), use('t2')])]
  refusedAt('messages[1]', { messages: calls })
  refusedAt('messages[1]', { messages: [...calls, user('never mind')] })
  refusedAt('messages[1]', { messages: [...calls, user([result('t1', '')])] })
  const both = [result('t1', ''), result('t2', '')]
  refusedAt('messages[2]', { messages: [...calls, user([...both, result('t3', '')])] })
  refusedAt('messages[2]', { messages: [...calls, user([...both, result('t1', '')])] })
})

test('reasoning comes back to the model that it is of', () => {
  const details = [{ type: 'reasoning.text', text: 'Hm', signature: 's', index: 0 }]
  const signed = { type: 'reasoning.encrypted', data: 'd', id: 't1', format: 'google-gemini-v1' }
  const turn = (model: string) => [
    user('a'),
    assistant([
      { type: 'thinking', thinking: 'Hm', signature: carrierOf(model, details) },
      { type: 'redacted_thinking', data: carrierOf(model, [signed]) },
      use('t1'),
    ]),
    user([result('t1', 'ok')]),
  ]
  const same = messagesOf(turn('sim/mbuni'))[1] as { reasoning_details?: unknown }
  assert.deepEqual(same.reasoning_details, [...details, signed])
  const foreign = { type: 'thinking', thinking: 'Hm', signature: 'EqQBCkgIARAB' }
  for (const messages of [
    turn('sim/other'),
    [user('a'), assistant([foreign, text('b')]), user('c')],
  ]) {
    assert.equal('reasoning_details' in (messagesOf(messages)[1] as object), false)
  }
})

test('an assistant turn of nothing that a chat can say is left out', () => {
  const searched = [
    { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
    { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
    text(''),
  ]
  assert.deepEqual(messagesOf([user('a'), assistant(searched), user('b')]), [user('a'), user('b')])
})

test('pictures and documents', () => {
  const url = { type: 'url', url: 'https://example.com/a.png' }
  const inner = { type: 'content', content: [text('x'), PNG] }
  const plain = { type: 'text', media_type: 'text/plain', data: 'Hadithi' }
  const messages = messagesOf([
    user([
      PNG,
      { type: 'image', source: url },
      { type: 'document', source: plain, title: 'T' },
      { type: 'document', source: inner },
      { type: 'container_upload', file_id: 'f' },
      text('Look.', { cache_control: { type: 'ephemeral' } }),
    ]),
  ])
  assert.deepEqual(messages, [
    user([
      PNG_PART,
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      text('T\n\nHadithi'),
      text('x'),
      PNG_PART,
      text('Look.'),
    ]),
  ])
})

test('marks of what to cache are kept only where they are known', () => {
  const marked = [text('a', { cache_control: { type: 'ephemeral', ttl: '1h' } })]
  assert.deepEqual(messagesOf([user(marked)]), [user('a')])
  assert.deepEqual(messagesOf([user(marked)], { ...MODEL, caches: true }), [user(marked)])
})

test('tools, their choice, and names that are too long', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const long = `mcp__${'x'.repeat(75)}`
  const tools = [
    { name: 'f', description: 'd', input_schema: schema, cache_control: {} },
    { type: 'custom', name: long, input_schema: schema },
  ]
  const { chat, names } = readRequest(
    {
      model: 'x',
      max_tokens: 1,
      messages: [user('a')],
      tools,
      tool_choice: { type: 'tool', name: long, disable_parallel_tool_use: true },
    },
    MODEL,
  )
  const sent = chat.tools as { function: { name: string; parameters: unknown } }[]
  assert.deepEqual(sent[0], {
    type: 'function',
    function: { name: 'f', description: 'd', parameters: schema, strict: undefined },
  })
  const short = sent[1]!.function.name
  assert.match(short, /^mcp__x+_[0-9a-f]{8}$/)
  assert.equal(short.length, 64)
  assert.deepEqual([names.full(short), names.full('f')], [long, 'f'])
  assert.deepEqual(chat.tool_choice, { type: 'function', function: { name: short } })
  assert.equal(chat.parallel_tool_calls, false)
  const choices = [
    ['auto', 'auto'],
    ['none', 'none'],
    ['any', 'required'],
  ]
  for (const [type, theirs] of choices) {
    assert.equal(read({ tools, tool_choice: { type } }).tool_choice, theirs)
  }
  refusedAt('tool_choice.type', { tools, tool_choice: { type: 'sometimes' } })
})

test('a tool of the upstream is left out beside others, refused alone or forced', () => {
  const search = { type: 'web_search_20250305', name: 'web_search' }
  const own = { name: 'f', input_schema: {} }
  const kept = read({ tools: [search, own], tool_choice: { type: 'any' } })
  assert.equal(kept.tools?.length, 1)
  refusedAt('tools', { tools: [search] })
  refusedAt('tools', { tools: [{ type: 'tool_search_tool_regex_20251119', name: 'r' }] })
  refusedAt('tools', { tools: [search, own], tool_choice: { type: 'tool', name: 'web_search' } })
  refusedAt('tools', { tools: [{ type: 'brand_new_20270101' }] })
  refusedAt('tools[1]', { tools: [own, { type: 'bash_20250124', name: 'bash' }] })
  refusedAt('tools[0].name', { tools: [{ input_schema: {} }] })
  refusedAt('tools[0]', { tools: ['f'] })
})

test('how much to think, for a model that does', () => {
  const effort = (body: Record<string, unknown>, model = MODEL) =>
    read(body, model).reasoning_effort
  const budget = (tokens: number) => ({ thinking: { type: 'enabled', budget_tokens: tokens } })
  assert.equal(effort({ thinking: { type: 'disabled' } }), 'none')
  assert.deepEqual(
    [1_024, 4_096, 16_000, 32_000].map((n) => effort(budget(n))),
    ['low', 'low', 'medium', 'high'],
  )
  const adaptive = { type: 'adaptive' }
  assert.equal(effort({ thinking: adaptive, output_config: { effort: 'medium' } }), 'medium')
  assert.equal(effort({ output_config: { effort: 'max' } }), 'max')
  assert.equal(effort({ thinking: adaptive }), undefined)
  assert.equal(effort({ output_config: { effort: 'constructor' } }), undefined)
  assert.equal(effort(budget(1_024), { ...MODEL, supportedParameters: ['tools'] }), undefined)
})

test('an answer in the shape of a schema, strict if the schema leaves nothing open', () => {
  const open = { type: 'object', properties: { a: {} } }
  const closed = { ...open, required: ['a'], additionalProperties: false }
  const format = (schema: object) =>
    read({ output_config: { format: { type: 'json_schema', schema } } }).response_format
  const expected = (schema: object, strict?: true) => ({
    type: 'json_schema',
    json_schema: { name: 'answer', schema, strict },
  })
  assert.deepEqual(format(closed), expected(closed, true))
  assert.deepEqual(format(open), expected(open))
  const nested = { ...closed, properties: { a: open } }
  assert.deepEqual(format(nested), expected(nested))
})

test('a model that also draws is asked for text only', () => {
  assert.deepEqual(read({}, { ...MODEL, outputModalities: ['image', 'text'] }).modalities, ['text'])
})

test('what is wrong is named', () => {
  refusedAt('messages[0]', { messages: ['hi'] })
  refusedAt('messages[0].role', { messages: [{ role: 'tool', content: 'x' }] })
  refusedAt('messages[0].content', { messages: [{ role: 'user' }] })
  refusedAt('messages[0].content[0].type', { messages: [user([{}])] })
  refusedAt('messages[0].content[0].text', { messages: [user([{ type: 'text', text: 1 }])] })
  refusedAt('messages', { messages: [user([text('')])] })
  const image = (source: unknown) => ({ messages: [user([{ type: 'image', source }])] })
  const at = 'messages[0].content[0].source'
  refusedAt(at, image('x'))
  refusedAt(`${at}.type`, image({ type: 'file', file_id: 'f' }))
  refusedAt(`${at}.data`, image({ type: 'base64', media_type: 'image/png' }))
  refusedAt(`${at}.media_type`, image({ type: 'base64', media_type: 'png;x,', data: 'A' }))
  refusedAt(`${at}.url`, image({ type: 'url' }))
  const calls = (block: object) => ({ messages: [user('a'), assistant([block])] })
  refusedAt('messages[1].content[0].id', calls({ type: 'tool_use', name: 'f' }))
  refusedAt('messages[1].content[0].name', calls({ type: 'tool_use', id: 't' }))
  refusedAt('messages[0].content[0].tool_use_id', { messages: [user([{ type: 'tool_result' }])] })
})

test('thinking that the provider signed goes back where its models read it again', () => {
  const signed = [
    { type: 'thinking', thinking: 'Hm', signature: 'EqQBCg==' },
    { type: 'redacted_thinking', data: 'EmwKAh' },
    { type: 'thinking', thinking: 'lost', signature: '' },
    text('b'),
  ]
  const messages = [user('a'), assistant(signed), user('c')]
  const format = 'anthropic-claude-v1'
  const [, said] = messagesOf(messages, { ...MODEL, signs: true }) as {
    reasoning_details: unknown
  }[]
  assert.deepEqual(said!.reasoning_details, [
    { type: 'reasoning.text', text: 'Hm', signature: 'EqQBCg==', format, index: 0 },
    { type: 'reasoning.encrypted', data: 'EmwKAh', format, index: 1 },
  ])
})

test('a tool whose schema only the provider knows is kept for it, and is none of the chat', () => {
  const bash = { type: 'bash_20250124', name: 'bash' }
  const own = { name: 'f', input_schema: {} }
  const request = { model: 'x', max_tokens: 1, messages: [user('a')], tools: [bash, own] }
  const { chat, tools } = readRequest(request, { ...MODEL, native: true })
  assert.deepEqual(tools, [bash, own])
  assert.equal(chat.tools?.length, 1)
})

test('each message of the chat knows the field that it is from', () => {
  const messages = [user('a'), assistant([use('t1')]), user([result('t1', 'ok'), text('b')])]
  const { places } = readRequest({ model: 'x', max_tokens: 1, system: 's', messages }, MODEL)
  assert.deepEqual(places, ['system', ...[0, 1, 2, 2].map((i) => `messages[${i}]`)])
})

test('too many messages and blocks are refused before anything is made of them', () => {
  const many = (count: number, one: unknown) => Array.from({ length: count }, () => one)
  // None of them is a message.
  refusedAt('messages', { messages: many(10_001, null) })
  refusedAt('messages', { messages: [user(many(10_001, null))] })
  refusedAt('messages', { messages: many(101, user([result('t1', many(100, null))])) })
  const document = { type: 'document', source: { type: 'content', content: many(10_001, null) } }
  refusedAt('messages', { messages: [user([document])] })
})
