import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newCourse } from '../../src/gateway/bill/rows.ts'
import { isFields, type Fields } from '../../src/lib/json.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { ModelTarget } from '../../src/upstream/contract/contract.ts'
import { openUpstreams } from '../../src/upstream/upstreams.ts'
import { readUpstreams } from '../../src/upstream/upstreams-file.ts'
import type { Upstreams, Work } from '../../src/upstream/work.ts'
import { response, wireServer } from './wire-server.ts'

/* What passes to an upstream, of each dialect and each type of provider. */

let server: Awaited<ReturnType<typeof wireServer>>
let upstreams: Upstreams
const counted: string[] = []

before(async () => {
  server = await wireServer((socket) => socket.write(response('{}', { status: 400 })))
  const entry = (name: string, more: object = {}) => ({
    name,
    type: name,
    base_url: server.url,
    ...more,
  })
  const entries = [
    ...['openrouter', 'anthropic', 'gemini'].map((name) => entry(name, { sync: false })),
    entry('openai', { responses: true }),
    entry('lab', { type: 'openai', pass_fields: ['lab_field'] }),
  ]
  const meter = {
    attempted: () => {},
    ended: () => {},
    leftOut: (name: string) => counted.push(name),
  }
  upstreams = openUpstreams({
    upstreams: readUpstreams({ upstreams: entries }, {}),
    log: silentLog,
    meter,
  })
})
after(async () => {
  await upstreams.close()
  await server.close()
})

const TEXT = { type: 'text', text: 'Habari', cache_control: { type: 'ephemeral', ttl: '1h' } }
const SCHEMA = { type: 'object', properties: { mcp_servers: { type: 'string' } } }
const PNG = 'data:image/png;base64,AAAA'

const CHAT = {
  model: 'x',
  messages: [
    { role: 'system', content: 'Jibu kwa ufupi.' },
    {
      role: 'user',
      name: 'asha',
      content: [
        TEXT,
        { type: 'image_url', image_url: { url: PNG, detail: 'low' } },
        { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA' } },
        { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AA' } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      reasoning_details: [{ type: 'reasoning.text', text: 'hm' }],
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'ok' },
  ],
  max_tokens: 9,
  temperature: 0.5,
  stop: ['a', 'b'],
  seed: 7,
  logit_bias: { 5: 1 },
  tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: SCHEMA } }],
  tool_choice: { type: 'function', function: { name: 'f' } },
  response_format: { type: 'json_schema', json_schema: { name: 'a', schema: SCHEMA } },
  reasoning: { effort: 'low' },
  top_k: 4,
  min_p: 0.1,
  prompt_cache_key: 'k',
}
/** Only what this format has. */
const TRANSLATED = {
  ...CHAT,
  messages: [...CHAT.messages.slice(0, 1), { role: 'user', content: [TEXT] }],
  min_p: undefined,
}

const MESSAGES = {
  model: 'x',
  max_tokens: 9,
  system: [TEXT],
  messages: [
    {
      role: 'user',
      content: [
        TEXT,
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA' } },
        {
          type: 'document',
          title: 't',
          citations: { enabled: true },
          source: { type: 'content', content: [TEXT] },
        },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'tool_use', id: 't', name: 'f', input: { container: 1 } },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 't', content: [TEXT] }],
    },
  ],
  thinking: { type: 'adaptive', display: 'omitted' },
  output_config: { effort: 'high', format: { type: 'json_schema', schema: SCHEMA } },
  context_management: {
    edits: [
      { type: 'clear_tool_uses_20250919', trigger: { type: 'tool_uses', value: 9 } },
      { type: 'clear_thinking_20251015', keep: 'all' },
    ],
  },
  tools: [
    { name: 'f', description: 'd', input_schema: SCHEMA, cache_control: { type: 'ephemeral' } },
    { type: 'bash_20250124', name: 'bash' },
    { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
  ],
  tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  top_k: 5,
}

const RESPONSES = {
  model: 'x',
  input: [
    { role: 'user', content: [{ type: 'input_text', text: 'Habari' }] },
    {
      type: 'message',
      role: 'assistant',
      phase: 'commentary',
      content: [{ type: 'output_text', text: 'Nzuri', annotations: [] }],
    },
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'g' },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'ok' }] },
    { type: 'additional_tools', role: 'developer', tools: [{ type: 'custom', name: 'c' }] },
  ],
  instructions: 'Be short.',
  max_output_tokens: 9,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: 'k',
  tools: [
    { type: 'function', name: 'f', parameters: SCHEMA, strict: true },
    { type: 'custom', name: 'g', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
    { type: 'namespace', name: 'n', description: 'd', tools: [{ type: 'function', name: 'f' }] },
  ],
  tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
  text: { format: { type: 'json_schema', name: 'a', schema: SCHEMA }, verbosity: 'low' },
  reasoning: { effort: 'high', summary: 'auto' },
}

const IMAGES = {
  size: '64x32',
  quality: 'low',
  seed: 7,
  input_references: [{ type: 'image_url', image_url: { url: PNG } }],
}
const VECTORS = { model: 'x', input: [[1, 2], [3]], dimensions: 8 }

const ours = { id: 'i', model: 'm', created: 1 }
const chat = (body: Fields) => ({ body, stream: false, ours })
const native = (dialect: 'messages' | 'responses') => (body: Fields) => ({
  ...chat({ messages: [] }),
  native: { dialect, body, headers: {}, only: false, ours },
})
const embeddings = (body: Fields) => ({ body, inputs: 2 })
const image = (extra: Fields) => ({ prompt: 'a door', n: 1, extra })
const sound = (extra: Fields) => ({
  audio: Buffer.from('RIFF'),
  format: 'wav',
  responseFormat: 'json' as const,
  extra,
})
const speech = (extra: Fields) => ({
  input: 'Habari',
  responseFormat: 'mp3' as const,
  maxBytes: 9,
  extra,
})

type Case = {
  upstream: string
  name: keyof Work
  request: (fields: Fields) => never
  fields: Fields
  model?: string
}
const of = <Name extends keyof Work>(
  upstream: string,
  name: Name,
  request: (fields: Fields) => Work[Name]['request'],
  fields: Fields,
  model = 'm',
): Case => ({ upstream, name, request: request as Case['request'], fields, model })

const CASES = [
  of('openai', 'chat', chat, CHAT),
  of('openrouter', 'chat', chat, { ...CHAT, session_id: 's' }),
  of('anthropic', 'chat', chat, TRANSLATED),
  of('gemini', 'chat', chat, TRANSLATED),
  of('anthropic', 'chat', native('messages'), MESSAGES),
  of('anthropic', 'count', native('messages'), MESSAGES),
  of('openrouter', 'chat', native('messages'), MESSAGES, 'anthropic/m'),
  of('openai', 'chat', native('responses'), RESPONSES),
  of('openrouter', 'chat', native('responses'), RESPONSES, 'openai/m'),
  of('openai', 'embeddings', embeddings, VECTORS),
  of('openrouter', 'embeddings', embeddings, VECTORS),
  of('gemini', 'embeddings', embeddings, { ...VECTORS, input: ['a', 'b'] }),
  of('openai', 'image', image, IMAGES),
  of('openrouter', 'image', image, IMAGES),
  of('openai', 'transcription', sound, { prompt: 'p', temperature: 0 }),
  of('openrouter', 'transcription', sound, { prompt: 'p', temperature: 0 }),
  of('openai', 'speech', speech, { instructions: 'i' }),
  of('openrouter', 'speech', speech, { instructions: 'i' }),
]

const SEEDS = 20

/** What an upstream was sent; forms without what parts them. */
async function sent(of: Case, fields: Fields, target: Partial<ModelTarget> = {}) {
  const course = newCourse()
  const to = { upstream: of.upstream, model: of.model ?? 'm', ...target }
  // The answer is none, and not looked at.
  await upstreams.call([to], of.name, of.request(fields), { course }).catch(() => {})
  const { body } = server.requests.at(-1)!
  return {
    body: body.replaceAll(/mlango-\w{24}/g, '-'),
    leftOut: course.leftOut ?? new Set<string>(),
  }
}

/** Fields that spend, that reach into an account, or that nobody knows. */
const FOREIGN = [
  ...'preset billing_policy search_parameters enable_search web_search_options service_tier speed'.split(
    ' ',
  ),
  ...'container mcp_servers store metadata fallbacks plugins models extra_body'.split(' '),
  ...'allowed_callers voice_id scope __x constructor'.split(' '),
]
const VALUES = [1, 'a', true, ['a'], { type: 'text', url: 'https://x.example' }, [{ id: 'x' }]]
/** Callers' own values: whatever stands there passes. */
const FREE = new Set(['schema', 'parameters', 'input_schema', 'logit_bias', 'reasoning_details'])

/** The same with one or two foreign fields in each of its objects. */
function spoiled(value: unknown, pick: (most: number) => number): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => spoiled(item, pick))
  if (!isFields(value)) return value
  const more = Array.from({ length: 1 + pick(2) }, () => {
    const foreign = FOREIGN[pick(FOREIGN.length)]!
    const name = foreign === '__x' ? `x_${pick(1_000)}` : foreign
    return [name, VALUES[pick(VALUES.length)]]
  })
  const own = Object.entries(value).map(([name, one]) => [
    name,
    FREE.has(name) || (name === 'input' && isFields(one)) ? one : spoiled(one, pick),
  ])
  return Object.fromEntries([...more, ...own])
}

function random(seed: number): (most: number) => number {
  let state = seed
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * most)
  }
}

/** The format of these is built from what it has of a chat. */
const BUILT = new Set(['anthropic', 'gemini'])

describe('what passes to an upstream is a list of what may', () => {
  for (const one of CASES) {
    const { native } = one.request({}) as { native?: { dialect: string } }
    const what = [one.upstream, native?.dialect, one.name].filter(Boolean).join(', ')
    it(`${what}: foreign fields at any level change nothing of what is sent`, async () => {
      const plain = await sent(one, one.fields)
      const isBuilt = native === undefined && BUILT.has(one.upstream)
      if (!isBuilt) assert.deepEqual([...plain.leftOut], [])
      if (!isBuilt && one.name !== 'count') {
        for (const name in one.fields) assert.ok(plain.body.includes(`"${name}"`), name)
      }
      for (let seed = 1; seed <= SEEDS; seed++) {
        const foul = await sent(one, spoiled(one.fields, random(seed)) as Fields)
        assert.equal(foul.body, plain.body, `seed ${seed}`)
        assert.ok(foul.leftOut.size > plain.leftOut.size, `seed ${seed}`)
      }
    })
  }

  it('what is left out is told by its place, and counted by a name that is known', async () => {
    const part = { ...TEXT, cache_control: { type: 'ephemeral', ttl: '24h' }, scope: 'global' }
    const hostile = { ['x\r\nset-cookie: a']: 1, ['y'.repeat(100)]: 2, toString: 3 }
    counted.length = 0
    const { body, leftOut } = await sent(CASES[0]!, {
      messages: [{ role: 'user', content: [part, part] }],
      service_tier: 'priority',
      brand_new: null,
      ...hostile,
    })
    assert.deepEqual([...leftOut].toSorted(), [
      '?',
      'messages[].content[].cache_control.ttl',
      'messages[].content[].scope',
      'service_tier',
      'toString',
    ])
    assert.doesNotMatch(body, /24h|scope|priority|brand_new|cookie|yyy|toString/)
    assert.deepEqual(counted.toSorted(), ['messages', 'messages', 'other', 'other', 'service_tier'])
  })

  it('no more is told than anybody reads', async () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`x_${i}`, 1]))
    const { leftOut } = await sent(CASES[0]!, { ...CHAT, ...many })
    assert.equal(leftOut.size, 50)
  })

  it('a catalog and the operator add to it; no catalog adds what costs more', async () => {
    const listed = { supportedParameters: ['new_one', 'service_tier', 'web_search_options'] }
    const more = { new_one: 1, service_tier: 'a', web_search_options: {}, lab_field: { a: 1 } }
    const asked = { messages: [], ...more }
    const of = (upstream: string): Case => ({ ...CASES[0]!, upstream })
    assert.deepEqual(JSON.parse((await sent(of('openai'), asked, listed)).body), {
      messages: [],
      new_one: 1,
      model: 'm',
    })
    assert.deepEqual(JSON.parse((await sent(of('openai'), asked)).body), {
      messages: [],
      model: 'm',
    })
    assert.deepEqual(JSON.parse((await sent(of('lab'), asked)).body), {
      messages: [],
      lab_field: { a: 1 },
      model: 'm',
    })
    // In a format of its own nothing else has a place; some models there refuse the temperature.
    const warm = { ...TRANSLATED, ...asked, messages: TRANSLATED.messages, temperature: 0.5 }
    const knows = { supportedParameters: ['temperature', 'new_one'] }
    const { body, leftOut } = await sent(of('anthropic'), warm, knows)
    const { temperature, new_one, top_k } = JSON.parse(body) as Fields
    assert.deepEqual([temperature, new_one, top_k], [0.5, undefined, undefined])
    assert.ok(leftOut.has('new_one') && leftOut.has('top_k') && !leftOut.has('temperature'))
  })

  it('tools, edits and blocks of kinds that are not known are left out whole', async () => {
    const search = { type: 'web_search_20260318', name: 'web_search' }
    const messages = CASES.find(
      ({ upstream, name }) => upstream === 'anthropic' && name === 'count',
    )!
    const edits = [{ type: 'compact_20260112', instructions: 'x' }]
    const asked = {
      ...MESSAGES,
      tools: [search, { type: 'mcp_toolset', mcp_server_name: 'x' }],
      context_management: { edits },
      system: [{ type: 'tool_addition', tool: { type: 'tool_definition', tool: search } }],
    }
    const { body, leftOut } = await sent(messages, asked)
    const { tools, system, context_management: context } = JSON.parse(body) as Fields
    assert.deepEqual([tools, system, context], [undefined, undefined, {}])
    for (const name of ['tools[]', 'context_management.edits[]', 'system[]']) {
      assert.ok(leftOut.has(name), name)
    }
  })

  it('a search among the caller’s tools passes to those that have it', async () => {
    const own = { type: 'function', name: 'f' }
    const search = { type: 'tool_search', execution: 'server' }
    const hosted = [{ type: 'web_search' }, { type: 'shell' }, { ...own, defer_loading: true }]
    const nested = { type: 'namespace', name: 'n', tools: hosted }
    const found = { type: 'tool_search_output', call_id: null, tools: hosted }
    const said = { role: 'user', content: 'x' }
    const asked = { ...RESPONSES, input: [said, found], tools: [search, ...hosted, nested] }
    const given = async (upstream: string, model?: string) => {
      const { body } = await sent(
        of(upstream, 'chat', native('responses'), RESPONSES, model),
        asked,
      )
      const { tools, input } = JSON.parse(body) as { tools: Fields[]; input: Fields[] }
      return { tools, input }
    }
    const deferred = { ...own, defer_loading: true }
    assert.deepEqual(await given('openai'), {
      tools: [search, deferred, { ...nested, tools: [deferred] }],
      input: [said, { ...found, tools: [deferred] }],
    })
    assert.deepEqual(await given('openrouter', 'openai/m'), {
      tools: [own, { ...nested, tools: [own] }],
      input: [said],
    })
  })

  it('a video passes whole, but for who is asked and addresses that are called back', async () => {
    const video = of(
      'openrouter',
      'videoStart',
      (extra) => ({ prompt: 'p', idempotencyKey: 'i', extra }),
      {},
    )
    const kept = { duration: 4, new_one: { deep: [1] }, seed: 7 }
    const foreign = { provider: {}, models: ['x'], callback_url: 'https://x.example', user: 'me' }
    const { body } = await sent(video, { ...kept, ...foreign })
    assert.deepEqual(JSON.parse(body), { ...kept, model: 'm', prompt: 'p' })
  })
})
