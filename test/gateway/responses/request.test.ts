import assert from 'node:assert/strict'
import { test } from 'node:test'
import { carrierOf } from '../../../src/gateway/chat/reasoning.ts'
import type { ResponsesBody } from '../../../src/gateway/responses/request/body.ts'
import {
  chatBodyOf,
  refuseUnsupported,
  unreadInResponses,
  type AskedModel,
} from '../../../src/gateway/responses/request/chat-body.ts'
import { inputItems } from '../../../src/gateway/responses/request/item-kinds.ts'
import { Failure } from '../../../src/lib/failure.ts'
import type { Fields } from '../../../src/lib/json.ts'
import { growth, IN_PROPORTION } from '../../support/growth.ts'
import { anthropic } from '../../../src/upstream/anthropic/provider.ts'
import { gemini } from '../../../src/upstream/gemini/provider.ts'

const THINKER: AskedModel = {
  id: 'sim/thinker',
  outputModalities: ['text'],
  supportedParameters: ['reasoning', 'verbosity'],
}
const PLAIN: AskedModel = { ...THINKER, supportedParameters: [] }

/** As it goes upstream: without members that are undefined. */
function read(body: Partial<ResponsesBody>, model = THINKER): Fields {
  const { chat } = chatBodyOf({ model: model.id, ...body }, inputItems(body.input), model)
  return JSON.parse(JSON.stringify(chat)) as Fields
}

const messages = (input: unknown[]) => read({ input }).messages as Fields[]

function refused(body: Partial<ResponsesBody>): Failure {
  try {
    refuseUnsupported({ model: 'm', ...body })
    read(body)
  } catch (error) {
    assert.ok(error instanceof Failure, String(error))
    assert.equal(error.kind, 'invalid')
    return error
  }
  return assert.fail('was not refused')
}

const user = (content: unknown) => ({ role: 'user', content })
const call = (id: string, name = 'f', more: Fields = {}) => ({
  type: 'function_call',
  call_id: id,
  name,
  arguments: '{}',
  ...more,
})
const result = (id: string, output: unknown = 'ok') => ({
  type: 'function_call_output',
  call_id: id,
  output,
})
const fn = (name: string, more: Fields = {}) => ({
  type: 'function',
  name,
  description: 'd',
  parameters: { type: 'object' },
  strict: true,
  ...more,
})

const ENDLESS = 'n'.repeat(1_025)

test('a text is a message of the user, behind the instructions', () => {
  assert.deepEqual(read({ input: 'Habari', instructions: 'Short.' }), {
    model: THINKER.id,
    messages: [
      { role: 'system', content: 'Short.' },
      { role: 'user', content: 'Habari' },
    ],
  })
})

test('what is said about the answer goes along, what is not known is dropped', () => {
  const unknown = { user: 'me', service_tier: 'flex', truncation: 'auto', n: 3 }
  const chat = read({
    input: 'x',
    max_output_tokens: 50,
    temperature: 0.5,
    top_p: 0.9,
    prompt_cache_key: 'k',
    reasoning: { effort: 'high', summary: 'auto' },
    text: { verbosity: 'low' },
    stream: true,
    parallel_tool_calls: false,
    ...unknown,
  })
  const { model: _model, messages: _messages, ...rest } = chat
  assert.deepEqual(rest, {
    stream: true,
    max_tokens: 50,
    temperature: 0.5,
    top_p: 0.9,
    prompt_cache_key: 'k',
    reasoning_effort: 'high',
    verbosity: 'low',
  })
})

test('a model that knows only the newer name of the limit is told by that', () => {
  const newer = { ...PLAIN, supportedParameters: ['max_completion_tokens'] }
  assert.equal(read({ input: 'x', max_output_tokens: 5 }, newer).max_completion_tokens, 5)
})

test('a model that does not reason is not told how hard to, and the caller is told of that', () => {
  const asked = {
    model: 'm',
    input: 'x',
    reasoning: { effort: 'high' },
    text: { verbosity: 'low' },
    truncation: 'auto',
  }
  assert.deepEqual(Object.keys(read(asked, PLAIN)), ['model', 'messages'])
  const unread = ['truncation', 'reasoning.effort', 'text.verbosity']
  assert.deepEqual(unreadInResponses(asked, PLAIN), unread)
  assert.deepEqual(unreadInResponses(asked, THINKER), ['truncation'])
})

test('a model that also draws is asked for text', () => {
  const painter = { ...PLAIN, outputModalities: ['image', 'text'] }
  assert.deepEqual(read({ input: 'x' }, painter).modalities, ['text'])
})

test('the form of the answer', () => {
  const format = { type: 'json_schema', name: 's', schema: { type: 'object' }, strict: true }
  const { type: _type, ...schema } = format
  const of = (text: Fields) => read({ input: 'x', text }).response_format
  assert.deepEqual(of({ format }), { type: 'json_schema', json_schema: schema })
  assert.deepEqual(of({ format: { type: 'json_object' } }), { type: 'json_object' })
  assert.equal(of({ format: { type: 'text' } }), undefined)
  const update = { type: 'configuration_update', text: { format }, reasoning: { effort: 'low' } }
  const chat = read({ input: [user('x'), update], reasoning: { effort: 'high' } })
  assert.equal(chat.reasoning_effort, 'low')
  assert.deepEqual(chat.response_format, { type: 'json_schema', json_schema: schema })
})

test('neighbouring thoughts, text and calls are one message, and results follow it', () => {
  const details = [{ type: 'reasoning.text', text: 'hm', signature: 's' }]
  const thought = {
    type: 'reasoning',
    summary: [],
    encrypted_content: carrierOf(THINKER.id, details),
  }
  const said = { role: 'assistant', content: [{ type: 'output_text', text: 'Let me see.' }] }
  assert.deepEqual(
    messages([
      user('q'),
      thought,
      said,
      call('a'),
      call('b', 'g'),
      result('b', '2'),
      result('a', '1'),
    ]),
    [
      { role: 'user', content: 'q' },
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } },
          { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
        ],
        reasoning_details: details,
      },
      { role: 'tool', tool_call_id: 'a', content: '1' },
      { role: 'tool', tool_call_id: 'b', content: '2' },
    ],
  )
})

test('a result that comes late is put behind its call', () => {
  const roles = messages([call('a'), user('wait'), result('a'), call('b'), result('b')])
  assert.deepEqual(
    roles.map(({ role }) => role),
    ['assistant', 'tool', 'user', 'assistant', 'tool'],
  )
})

test('pictures in results come in one message after all of them', () => {
  const shot = (url: string) => [
    { type: 'input_text', text: 'shot' },
    { type: 'input_image', image_url: url },
  ]
  const found = messages([
    call('a'),
    call('b'),
    result('a', shot('https://example.com/a.png')),
    result('b', [
      { type: 'input_image', image_url: 'https://example.com/b.png', detail: 'original' },
    ]),
  ])
  assert.deepEqual(found.slice(1), [
    { role: 'tool', tool_call_id: 'a', content: 'shot' },
    { role: 'tool', tool_call_id: 'b', content: '(attached below)' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'From the result of a:' },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
        { type: 'text', text: 'From the result of b:' },
        { type: 'image_url', image_url: { url: 'https://example.com/b.png', detail: 'high' } },
      ],
    },
  ])
})

test('an empty result says so', () => {
  for (const output of ['', []]) {
    assert.equal(messages([call('a'), result('a', output)])[1]!.content, '(no output)')
  }
})

test('bad and repeated call ids are made fit, the same every time', () => {
  const input = [
    call('functions.Bash:0'),
    result('functions.Bash:0', '1'),
    call('functions.Bash:0'),
    result('functions.Bash:0', '2'),
    call('x'.repeat(90)),
    result('x'.repeat(90), '3'),
  ]
  const found = messages(input)
  const ids = found.flatMap(({ tool_calls: calls }) => (calls as Fields[] | undefined) ?? [])
  assert.equal(new Set(ids.map(({ id }) => id)).size, 3)
  for (const { id } of ids) assert.match(id as string, /^[a-zA-Z0-9_-]{1,64}$/)
  const results = found.filter(({ role }) => role === 'tool')
  assert.deepEqual(
    results.map(({ tool_call_id: id }) => id),
    ids.map(({ id }) => id),
  )
  assert.deepEqual(
    results.map(({ content }) => content),
    ['1', '2', '3'],
  )
  assert.deepEqual(messages(input), found)
})

test('a conversation of one id takes time in proportion to it', () => {
  const many = (count: number) => {
    const items = Array.from({ length: count }, () => [call('x'), result('x')]).flat()
    const sent = items.map((item, i) => ({ item, at: `input[${i}]` }))
    return chatBodyOf({ model: 'm' }, sent, THINKER).chat.messages as Fields[]
  }
  assert.equal(new Set(many(2_500).map(({ tool_call_id: id }) => id)).size, 2_501)
  const times = growth(many, 2_500)
  assert.ok(times < IN_PROPORTION, String(times))
})

test('thoughts of another model are dropped', () => {
  const details = [{ type: 'reasoning.text', text: 'hm' }]
  for (const encrypted of [carrierOf('sim/other', details), 'gAAAA', undefined]) {
    const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: encrypted }
    assert.deepEqual(
      messages([user('q'), thought, { role: 'assistant', content: 'a' }, user('r')]),
      [
        { role: 'user', content: 'q' },
        { role: 'assistant', content: 'a' },
        { role: 'user', content: 'r' },
      ],
    )
  }
})

test('a developer is the system; pictures, files and sound pass', () => {
  const developer = {
    type: 'message',
    role: 'developer',
    content: [{ type: 'input_text', text: 'd' }],
  }
  const pdf = 'data:application/pdf;base64,AAAA'
  const content = [
    { type: 'input_text', text: 'see' },
    { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
    { type: 'input_file', filename: 'a.pdf', file_data: pdf },
    { type: 'input_file', file_url: 'https://example.com/b.pdf' },
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
  ]
  assert.deepEqual(messages([developer, user(content)]), [
    { role: 'system', content: 'd' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'see' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: pdf } },
        { type: 'file', file: { file_data: 'https://example.com/b.pdf' } },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      ],
    },
  ])
})

test('what the system says in between stays where it was said', () => {
  const found = messages([user('a'), { role: 'developer', content: 'b' }, user('c')])
  assert.deepEqual(
    found.map(({ role, content }) => [role, content]),
    [
      ['user', 'a'],
      ['system', 'b'],
      ['user', 'c'],
    ],
  )
})

test('what signs a call of Gemini comes back with it, in any process', () => {
  const signature = {
    type: 'reasoning.encrypted',
    data: 'c2ln',
    id: 'call_1',
    format: 'google-gemini-v1',
  }
  const carrier = carrierOf(THINKER.id, [signature])
  const input = [
    user('x'),
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: carrier },
    call('call_1'),
    result('call_1'),
  ]
  const { chat } = chatBodyOf({ model: THINKER.id }, inputItems(input), THINKER)
  const request = { body: chat, stream: false, ours: { id: 'c', model: 'm', created: 1 } }
  const { json } = gemini.chat!.build(request, { upstream: 'g', model: 'gemini' })
  assert.match(JSON.stringify(json), /"thoughtSignature":"c2ln"/)
})

test('without a limit a model may say all that it can, where a format wants one', () => {
  const { chat } = chatBodyOf({ model: THINKER.id }, inputItems('x'), THINKER)
  const request = { body: chat, stream: false, ours: { id: 'c', model: 'm', created: 1 } }
  const target = { upstream: 'a', model: 'claude', maxOutputTokens: 64_000 }
  const most = (wholeOutput?: true) => {
    return anthropic.chat!.build({ ...request, wholeOutput }, target).json!.max_tokens
  }
  assert.deepEqual([most(true), most()], [64_000, 8_192])
})

test('a call whose arguments are broken can still be told of', () => {
  const found = messages([call('a', 'f', { arguments: '{"x":' }), result('a')])
  const [made] = found[0]!.tool_calls as { function: { arguments: string } }[]
  assert.deepEqual(JSON.parse(made!.function.arguments), { arguments: '{"x":' })
})

test('tools: functions are wrapped, free text becomes an argument, namespaces a prefix', () => {
  const custom = {
    type: 'custom',
    name: 'patch',
    description: 'Patches.',
    format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
  }
  const namespace = { type: 'namespace', name: 'gmail', tools: [fn('send')] }
  const bare = { type: 'namespace', name: 'functions', tools: [fn('shell')] }
  const added = { type: 'additional_tools', role: 'developer', tools: [namespace, bare] }
  const { chat, tools } = chatBodyOf(
    { model: 'm', tools: [fn('a'), custom] },
    inputItems([added, user('x')]),
    THINKER,
  )
  const made = (chat.tools as { type: string; function: Fields }[]).map((tool) => tool.function)
  assert.deepEqual(
    made.map(({ name }) => name),
    ['a', 'patch', 'gmail__send', 'shell'],
  )
  assert.deepEqual(made[0], {
    name: 'a',
    description: 'd',
    parameters: { type: 'object' },
    strict: true,
  })
  assert.equal(
    made[1]!.description,
    'Patches.\n\nThe input must follow this lark grammar:\nstart: "x"',
  )
  assert.deepEqual(tools.get('gmail__send'), { kind: 'function', name: 'send', namespace: 'gmail' })
  assert.equal(tools.get('patch')?.kind, 'custom')
})

test('calls of the past are named as their tools are', () => {
  const found = messages([
    call('a', 'send', { namespace: 'gmail' }),
    { type: 'custom_tool_call', call_id: 'b', name: 'patch', input: '*** Begin' },
    result('a'),
    { type: 'custom_tool_call_output', call_id: 'b', output: 'done' },
  ])
  const calls = found[0]!.tool_calls as { function: Fields }[]
  assert.deepEqual(
    calls.map((one) => one.function),
    [
      { name: 'gmail__send', arguments: '{}' },
      { name: 'patch', arguments: '{"input":"*** Begin"}' },
    ],
  )
})

const shellCall = (more: Fields = {}) => ({
  type: 'shell_call',
  call_id: 'a',
  action: { commands: ['ls', 'pwd'], timeout_ms: 9, max_output_length: null, ...more },
})
const patchCall = (operation: unknown) => ({ type: 'apply_patch_call', call_id: 'b', operation })
const ran = (output: unknown, call_id = 'a') => ({ type: 'shell_call_output', call_id, output })
const patched = { type: 'apply_patch_call_output', call_id: 'b', status: 'failed', output: 'no x' }

test('tools that the caller runs in a way of its own are functions for the model', () => {
  const skills = [{ name: 'pdf', path: '/skills/pdf', description: 'Reads PDFs.' }]
  const asked = [
    { type: 'shell', environment: { type: 'local', skills } },
    { type: 'local_shell' },
    { type: 'apply_patch', allowed_callers: ['direct'] },
  ]
  const { chat, tools, onlyAsChat } = chatBodyOf(
    { model: 'm', tools: asked, tool_choice: { type: 'apply_patch' } },
    inputItems('x'),
    THINKER,
  )
  const made = (chat.tools as { type: string; function: Fields }[]).map((tool) => tool.function)
  assert.deepEqual(
    made.map(({ name, parameters }) => [name, (parameters as Fields).required]),
    [
      ['shell', ['commands']],
      ['local_shell', ['command']],
      ['apply_patch', ['type', 'path']],
    ],
  )
  assert.match(made[0]!.description as string, /Skill pdf, to be read in \/skills\/pdf: Reads PDFs/)
  assert.deepEqual(
    [...tools.values()].map(({ kind }) => kind),
    asked.map(({ type }) => type),
  )
  assert.deepEqual(chat.tool_choice, { type: 'function', function: { name: 'apply_patch' } })
  assert.equal(onlyAsChat, true)
  const plain = chatBodyOf({ model: 'm', tools: [fn('a')] }, inputItems('x'), THINKER)
  assert.equal(plain.onlyAsChat, false)
  assert.equal(
    chatBodyOf({ model: 'm' }, inputItems([shellCall(), ran('ok')]), THINKER).onlyAsChat,
    true,
  )
})

test('a shell in the container of a provider is not the caller’s', () => {
  const hosted = { type: 'shell', environment: { type: 'container_auto' } }
  assert.equal(refused({ input: 'x', tools: [hosted] }).code, 'unsupported_tool')
  const namespace = { type: 'namespace', name: 'n', tools: [{ type: 'shell' }] }
  assert.equal(refused({ input: 'x', tools: [namespace] }).code, 'unsupported_tool')
  const { tools } = read({ input: 'x', tools: [hosted, fn('a')] })
  assert.equal((tools as unknown[]).length, 1)
})

test('what such tools did goes back to the model as calls and words', () => {
  const said = messages([
    user('x'),
    shellCall(),
    patchCall({ type: 'update_file', path: 'a.txt', diff: '@@' }),
    { type: 'local_shell_call', call_id: 'c', action: { type: 'exec', command: ['ls'], env: {} } },
    ran([
      { stdout: 'a.txt', stderr: '', outcome: { type: 'exit', exit_code: 0 } },
      { stdout: '', stderr: 'slow', outcome: { type: 'timeout' } },
    ]),
    patched,
    { type: 'local_shell_call_output', id: 'c', output: 'b.txt' },
  ])
  const calls = said[1]!.tool_calls as { function: { name: string; arguments: string } }[]
  assert.deepEqual(
    calls.map((one) => [one.function.name, JSON.parse(one.function.arguments) as unknown]),
    [
      ['shell', { commands: ['ls', 'pwd'], timeout_ms: 9 }],
      ['apply_patch', { type: 'update_file', path: 'a.txt', diff: '@@' }],
      ['local_shell', { command: ['ls'] }],
    ],
  )
  assert.deepEqual(
    said.slice(2).map(({ content }) => content),
    ['Exit code 0\na.txt\n\nIt took too long and was stopped.\nslow', 'failed\nno x', 'b.txt'],
  )
})

test('what a search found among the caller’s tools is offered, the search itself is not', () => {
  const found = { type: 'tool_search_output', call_id: null, tools: [fn('b')] }
  const asked = { type: 'tool_search_call', call_id: null, arguments: {} }
  const deferred = { ...fn('a'), defer_loading: true }
  const chat = read({
    input: [asked, found, user('x')],
    tools: [{ type: 'tool_search' }, deferred],
  })
  const made = (chat.tools as { function: Fields }[]).map((tool) => tool.function)
  assert.deepEqual(
    made.map(({ name, defer_loading }) => [name, defer_loading]),
    [
      ['a', undefined],
      ['b', undefined],
    ],
  )
})

test('a long name is cut and told by its hash', () => {
  const long = 'n'.repeat(80)
  const { chat, tools } = chatBodyOf(
    {
      model: 'm',
      tools: [fn(long), fn(`${long}x`)],
      tool_choice: { type: 'function', name: long },
    },
    inputItems('x'),
    THINKER,
  )
  const names = (chat.tools as { function: { name: string } }[]).map((tool) => tool.function.name)
  assert.equal(new Set(names).size, 2)
  for (const name of names) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/)
  assert.equal(tools.get(names[0]!)?.name, long)
  assert.deepEqual(chat.tool_choice, { type: 'function', function: { name: names[0] } })
})

test('hosted tools are left out beside others, and refused alone or when forced', () => {
  const search = { type: 'web_search' }
  const names = (chat: Fields) => (chat.tools as { function: Fields }[]).map((t) => t.function.name)
  assert.deepEqual(names(read({ input: 'x', tools: [search, fn('a')] })), ['a'])
  assert.equal(refused({ input: 'x', tools: [search] }).param, 'tools[0].type')
  const forced = { input: 'x', tools: [search, fn('a')], tool_choice: search }
  assert.equal(refused(forced).param, 'tools[0].type')
  assert.equal(read({ input: 'x', tools: [search], tool_choice: 'none' }).tools, undefined)
})

test('which tool may be called', () => {
  const choice = (given: unknown) => {
    const chat = read({ input: 'x', tools: [fn('a'), fn('b')], tool_choice: given })
    return [(chat.tools as unknown[]).length, chat.tool_choice]
  }
  assert.deepEqual(choice('required'), [2, 'required'])
  assert.deepEqual(choice(undefined), [2, undefined])
  const named = { type: 'function', function: { name: 'b' } }
  assert.deepEqual(choice({ type: 'function', name: 'b' }), [2, named])
  const some = (mode: string, name: string) => ({
    type: 'allowed_tools',
    mode,
    tools: [{ type: 'function', name }],
  })
  assert.deepEqual(choice(some('required', 'b')), [1, 'required'])
  assert.deepEqual(choice(some('auto', 'z')), [2, 'none'])
  // Upstreams refuse a choice among no tools.
  assert.deepEqual(
    Object.keys(read({ input: 'x', tool_choice: 'auto', parallel_tool_calls: true })),
    ['model', 'messages'],
  )
})

const refusals: [string, Partial<ResponsesBody>, string, string?][] = [
  ['conversation', { conversation: 'conv_1' }, 'conversation', 'unsupported_parameter'],
  ['prompt', { prompt: { id: 'p' } }, 'prompt', 'unsupported_parameter'],
  ['no input', {}, 'input'],
  ['an empty input', { input: [] }, 'input'],
  ['an item that is none', { input: [3] }, 'input[0]'],
  ['an unknown item', { input: [{ type: 'dance' }] }, 'input[0].type'],
  ['a role', { input: [{ role: 'constructor', content: 'x' }] }, 'input[0].role'],
  ['content', { input: [user(7)] }, 'input[0].content'],
  ['a part', { input: [user([{ type: 'video' }])] }, 'input[0].content[0].type'],
  [
    'a file id',
    { input: [user([{ type: 'input_file', file_id: 'f' }])] },
    'input[0].content[0].file_id',
  ],
  ['a call without a result', { input: [call('a')] }, 'input'],
  ['a result without a call', { input: [result('a')] }, 'input[0].call_id'],
  ['a result before its call', { input: [result('a'), call('a')] }, 'input[0].call_id'],
  ['a second result', { input: [call('a'), result('a'), result('a')] }, 'input[2].call_id'],
  ['arguments', { input: [call('a', 'f', { arguments: {} }), result('a')] }, 'input[0].arguments'],
  ['a shell’s action', { input: [{ ...shellCall(), action: 7 }, ran('x')] }, 'input[0].action'],
  ['commands', { input: [shellCall({ commands: 'ls' }), ran('x')] }, 'input[0].action.commands'],
  ['an operation', { input: [patchCall(null), patched] }, 'input[0].operation'],
  ['a path', { input: [patchCall({ type: 'delete_file' }), patched] }, 'input[0].operation.path'],
  ['what a shell gave', { input: [shellCall(), ran(7)] }, 'input[1].output'],
  ['a local shell’s', { input: [{ type: 'local_shell_call_output' }] }, 'input[0].call_id'],
  ['one by its id', { input: [{ type: 'local_shell_call_output', id: 'c' }] }, 'input[0].call_id'],
  ['a tool without a name', { input: 'x', tools: [{ type: 'function' }] }, 'tools[0].name'],
  ['a tool with an endless name', { input: 'x', tools: [fn(ENDLESS)] }, 'tools[0].name'],
  [
    'a namespace with an endless name',
    { input: 'x', tools: [{ type: 'namespace', name: ENDLESS, tools: [fn('a')] }] },
    'tools[0].name',
  ],
  [
    'too many tools',
    {
      input: 'x',
      tools: [{ type: 'namespace', name: 'n', tools: Array(10_001).fill(fn('a')) }],
    },
    'tools',
  ],
  ['too many items', { input: Array(10_001).fill(user('x')) }, 'input'],
  ['too many parts', { input: [user(Array(10_001).fill(null))] }, 'input'],
  [
    'too many parts of results',
    { input: Array(101).fill(result('a', Array(100).fill(null))) },
    'input',
  ],
  ['a choice', { input: 'x', tools: [fn('a')], tool_choice: 'any' }, 'tool_choice'],
  [
    'a tool that is not there',
    { input: 'x', tools: [fn('a')], tool_choice: { type: 'function', name: 'z' } },
    'tool_choice',
  ],
  ['a format', { input: 'x', text: { format: { type: 'xml' } } }, 'text.format.type'],
  [
    'a schema',
    { input: 'x', text: { format: { type: 'json_schema', name: 's' } } },
    'text.format.schema',
  ],
]

for (const [what, body, param, code] of refusals) {
  test(`refused by name: ${what}`, () => {
    const failure = refused(body)
    assert.equal(failure.param, param)
    assert.equal(failure.code, code)
  })
}

test('records of hosted tools are skipped', () => {
  const found = messages([
    { type: 'web_search_call', id: 'ws_1', status: 'completed' },
    { type: 'mcp_list_tools', id: 'm' },
    { type: 'computer_call_output', output: {} },
    user('x'),
  ])
  assert.deepEqual(found, [{ role: 'user', content: 'x' }])
})
