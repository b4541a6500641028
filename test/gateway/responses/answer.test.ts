import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ResponseStream } from 'openai/lib/responses/ResponseStream'
import { carriedDetails } from '../../../src/gateway/chat/reasoning.ts'
import { EventWriter } from '../../../src/gateway/responses/answer/event-writer.ts'
import { ResponseEvents } from '../../../src/gateway/responses/answer/events.ts'
import { NativeEvents } from '../../../src/gateway/responses/answer/native-events.ts'
import { failedError } from '../../../src/gateway/responses/answer/whole-events.ts'
import { placeOfItem } from '../../../src/gateway/responses/answer/output-items.ts'
import { NO_STORAGE } from '../../../src/gateway/responses/stored/storage.ts'
import { responseStreamForm } from '../../../src/gateway/responses/form.ts'
import {
  responseOf,
  usageOf,
  type ResponseStart,
} from '../../../src/gateway/responses/answer/response.ts'
import type { OwnTool } from '../../../src/gateway/responses/request/tools.ts'
import { wholeAnswer, wholeResponse } from '../../../src/gateway/responses/answer/whole.ts'
import { Failure } from '../../../src/lib/failure.ts'
import type { Fields } from '../../../src/lib/json.ts'

const HEAD: ResponseStart = {
  seed: 'A'.repeat(24),
  model: 'sim/m',
  createdAt: 1_700_000_000,
  body: { model: 'sim/m', instructions: 'Be short.', tools: [{ type: 'web_search' }] },
  stores: true,
}
const TOOLS = new Map<string, OwnTool>([
  ['f', { kind: 'function', name: 'f', namespace: undefined }],
  ['mail__send', { kind: 'function', name: 'send', namespace: 'mail' }],
  ['patch', { kind: 'custom', name: 'patch', namespace: undefined }],
  ['shell', { kind: 'shell', name: 'shell', namespace: undefined }],
  ['local_shell', { kind: 'local_shell', name: 'local_shell', namespace: undefined }],
  ['apply_patch', { kind: 'apply_patch', name: 'apply_patch', namespace: undefined }],
])
const CLOCK = { now: () => new Date(1_700_000_009_900) }
const STYLE = { head: HEAD, clock: CLOCK, tools: TOOLS, encrypted: false, logprobs: false }
const USAGE = usageOf({ promptTokens: 3, completionTokens: 4 })
const TOTALS = { usage: USAGE, endedAt: 1_700_000_009 }

type Event = Fields & { type: string; sequence_number: number }

/** Streams deltas, each in a batch of its own, with the finish held back as the gateway does. */
function streamed(
  deltas: Fields[],
  {
    finish = 'stop',
    encrypted = false,
    logprobs = false,
    batches = deltas.map((one) => [one]),
  } = {},
) {
  const events = new ResponseEvents(new EventWriter(), { ...STYLE, encrypted, logprobs })
  let text = events.begin()
  for (const batch of batches) text += events.take(batch.map((delta) => chunk(delta, null)))
  let response: Fields = {}
  text += events.finish([chunk({}, finish)], TOTALS, (stored) => {
    response = stored()
    return true
  })
  return { events: eventsIn(text), response }
}

function chunk(delta: Fields, finish: string | null): string {
  const { logprobs, ...rest } = delta
  return JSON.stringify({ choices: [{ index: 0, delta: rest, logprobs, finish_reason: finish }] })
}

function eventsIn(text: string): Event[] {
  const frames = text.split('\n\n').slice(0, -1)
  return frames.map((frame, i) => {
    const [name, data, ...more] = frame.split('\n')
    assert.deepEqual(more, [])
    const event = JSON.parse(data!.slice('data: '.length)) as Event
    assert.equal(name, `event: ${event.type}`)
    assert.equal(event.sequence_number, i)
    return event
  })
}

const types = (events: Event[]) => events.map(({ type }) => type.replace('response.', ''))

/** What OpenAI's own client makes of the events. */
async function accumulated(events: Event[]) {
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('')
  const stream = new Blob([lines]).stream()
  return ResponseStream.fromReadableStream(stream).finalResponse()
}

const call = (index: number, text: string, more: { id?: string; name?: string } = {}) => ({
  tool_calls: [{ index, id: more.id, function: { name: more.name, arguments: text } }],
})

test('a text, event by event', async () => {
  const { events, response } = streamed([{ content: 'Ha' }, { content: 'bari' }])
  assert.deepEqual(types(events), [
    'created',
    'in_progress',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'completed',
  ])
  const item = {
    id: `msg_${HEAD.seed}0`,
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'Habari', annotations: [], logprobs: [] }],
  }
  assert.deepEqual(events[8]!.item, item)
  assert.deepEqual(events[2]!.item, { ...item, status: 'in_progress', content: [] })
  const final = events.at(-1)!.response as Fields
  assert.deepEqual(final, response)
  assert.deepEqual(final.output, [item])
  assert.deepEqual(final.usage, USAGE)
  assert.equal(final.instructions, 'Be short.')
  for (const { response: begun } of events.slice(0, 2)) {
    assert.deepEqual(Object.keys(begun as Fields).toSorted(), Object.keys(final).toSorted())
    assert.deepEqual((begun as Fields).tools, final.tools)
    assert.equal((begun as Fields).instructions, null)
  }
  assert.equal((await accumulated(events)).output_text, 'Habari')
})

test('chunks of one batch make one delta', () => {
  const deltas = [{ content: 'Ha' }, { content: 'ba' }, { content: 'ri' }]
  const { events } = streamed([], { batches: [deltas] })
  const said = events.filter(({ type }) => type === 'response.output_text.delta')
  assert.deepEqual(
    said.map(({ delta }) => delta),
    ['Habari'],
  )
})

test('thoughts, text and calls are one item after the other', async () => {
  const details = [{ type: 'reasoning.text', text: 'hm', signature: 's', index: 0 }]
  const { events, response } = streamed(
    [
      { reasoning: 'hm', reasoning_details: details },
      { content: 'Let me see.' },
      call(0, '', { id: 'x', name: 'f' }),
      call(1, '{"to":', { id: 'y', name: 'mail__send' }),
      call(0, '{}'),
      call(1, '"a"}'),
      call(2, '{"input":"*** Be', { id: 'z', name: 'patch' }),
      call(2, 'gin"}'),
    ],
    { finish: 'tool_calls', encrypted: true },
  )
  const opened = events.filter(({ type }) => type === 'response.output_item.added')
  assert.deepEqual(
    opened.map(({ output_index: at }) => at),
    [0, 1, 2, 3, 4],
  )
  const output = response.output as Fields[]
  assert.deepEqual(
    output.map(({ id, type }) => [type, id]),
    [
      ['reasoning', `rs_${HEAD.seed}0`],
      ['message', `msg_${HEAD.seed}1`],
      ['function_call', `fc_${HEAD.seed}2`],
      ['function_call', `fc_${HEAD.seed}3`],
      ['custom_tool_call', `ctc_${HEAD.seed}4`],
    ],
  )
  assert.deepEqual(output[0]!.summary, [{ type: 'summary_text', text: 'hm' }])
  assert.deepEqual(carriedDetails(output[0]!.encrypted_content, HEAD.model), details)
  const { call_id: callId, ...send } = output[3]!
  assert.match(callId as string, /^call_[0-9A-Za-z]{24}$/)
  assert.deepEqual(send, {
    id: `fc_${HEAD.seed}3`,
    type: 'function_call',
    name: 'send',
    namespace: 'mail',
    arguments: '{"to":"a"}',
    status: 'completed',
  })
  assert.equal(output[4]!.input, '*** Begin')
  assert.equal(output[4]!.status, 'completed')
  assert.deepEqual(
    types(events).filter((type) => type.startsWith('custom')),
    ['custom_tool_call_input.delta', 'custom_tool_call_input.done'],
  )
  const final = await accumulated(events)
  assert.deepEqual(
    final.output.map(({ id }) => id),
    output.map(({ id }) => id),
  )
})

/** What a model wrote, and the members of the item that the caller gets. */
const CLIENT_CALLS: [string, string, Fields][] = [
  [
    'shell',
    '{"commands":["ls","pwd"],"timeout_ms":5}',
    { action: { commands: ['ls', 'pwd'], timeout_ms: 5, max_output_length: null } },
  ],
  [
    'shell',
    '{"commands":"ls","timeout_ms":"soon"}',
    { action: { commands: ['ls'], timeout_ms: null, max_output_length: null } },
  ],
  [
    'local_shell',
    '{"command":["ls","-l"]}',
    { action: { type: 'exec', command: ['ls', '-l'], env: {} } },
  ],
  [
    'apply_patch',
    '{"type":"create_file","path":"a","diff":"+x"}',
    { operation: { type: 'create_file', path: 'a', diff: '+x' } },
  ],
  [
    'apply_patch',
    '{"type":"delete_file","path":"a","diff":null}',
    { operation: { type: 'delete_file', path: 'a' } },
  ],
  // Nothing is deleted that was not plainly meant.
  [
    'apply_patch',
    '{"type":"delete","path":7}',
    { operation: { type: 'update_file', path: '', diff: '' } },
  ],
]

test('a call of a tool that the caller runs is an item of its kind, whole and streamed', async () => {
  for (const [name, args, members] of CLIENT_CALLS) {
    const pieces = [call(0, args.slice(0, 9), { id: 'x', name }), call(0, args.slice(9))]
    const { events, response } = streamed(pieces, { finish: 'tool_calls' })
    const message = { tool_calls: [{ id: 'x', function: { name, arguments: args } }] }
    const whole = wholeAnswer({ choices: [{ message, finish_reason: 'tool_calls' }] }, HEAD, TOOLS)
    const added = events.find(({ type }) => type === 'response.output_item.added')!.item as Fields
    assert.partialDeepStrictEqual(added, { status: 'in_progress', ...members })
    for (const output of [response.output as Fields[], whole.output]) {
      assert.partialDeepStrictEqual(output[0], {
        type: `${name}_call`,
        status: 'completed',
        ...members,
      })
      assert.match(String(output[0]!.call_id), /^call_/)
      assert.equal(placeOfItem(String(output[0]!.id))?.response, `resp_${HEAD.seed}`)
    }
    assert.deepEqual(
      types(events).filter((type) => /item|delta|arguments/.test(type)),
      ['output_item.added', 'output_item.done'],
    )
    assert.equal((await accumulated(events)).output[0]!.type, `${name}_call`)
  }
})

test('every item closes before the next one opens', () => {
  const { events } = streamed([
    { reasoning: 'a', content: 'b', ...call(0, '{}', { id: 'x', name: 'f' }) },
    { content: 'c' },
  ])
  let open: unknown
  for (const { type, output_index: at } of events) {
    if (type === 'response.output_item.added') assert.equal(open, undefined, `item ${String(at)}`)
    if (type === 'response.output_item.added') open = at
    if (type === 'response.output_item.done') open = undefined
    else if (at !== undefined) assert.equal(at, open)
  }
})

test('what carries thoughts back is shown to those who ask, and stored in any case', () => {
  const details = [{ type: 'reasoning.encrypted', data: 'x' }]
  const { events, response } = streamed([{ reasoning_details: details }, { content: 'a' }])
  const [stored] = response.output as Fields[]
  assert.deepEqual(carriedDetails(stored!.encrypted_content, HEAD.model), details)
  assert.doesNotMatch(JSON.stringify(events), /encrypted_content/)
  // Nothing to read: the item has no summary, and no part of one is announced.
  assert.deepEqual(stored!.summary, [])
  assert.ok(!types(events).some((type) => type.startsWith('reasoning_summary')))
})

test('an answer that was cut off is incomplete, unless there is a call to make', () => {
  const cut = streamed([{ content: 'a' }], { finish: 'length' })
  assert.equal(cut.events.at(-1)!.type, 'response.incomplete')
  assert.deepEqual(cut.response.incomplete_details, { reason: 'max_output_tokens' })
  assert.equal((cut.response.output as Fields[])[0]!.status, 'incomplete')
  const filtered = streamed([{ content: 'a' }], { finish: 'content_filter' })
  assert.deepEqual(filtered.response.incomplete_details, { reason: 'content_filter' })
  const called = streamed([call(0, '{}', { id: 'x', name: 'f' })], { finish: 'length' })
  assert.equal(called.response.status, 'completed')
  const half = streamed([call(0, '{"a":', { id: 'x', name: 'f' })], { finish: 'length' })
  assert.equal(half.response.status, 'incomplete')
  assert.equal((half.response.output as Fields[])[0]!.status, 'incomplete')
})

test('a refusal is text; an answer without a word has no items', () => {
  const refused = streamed([{ refusal: 'No.' }]).response.output as { content: Fields[] }[]
  assert.equal(refused[0]!.content[0]!.text, 'No.')
  assert.deepEqual(streamed([{ role: 'assistant', content: '' }]).response.output, [])
})

test('every field that clients want is there, from the first event on', () => {
  const { events, response } = streamed([{ content: 'a' }])
  const always = {
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: 0,
    max_tool_calls: null,
    service_tier: 'default',
    safety_identifier: null,
    prompt_cache_key: null,
    user: null,
    text: { format: { type: 'text' }, verbosity: 'medium' },
  }
  const [created, inProgress] = events.map((event) => event.response as Fields)
  for (const one of [created!, inProgress!, response]) assert.partialDeepStrictEqual(one, always)
  const times = [created, inProgress, response].map((one) => one!.completed_at)
  assert.deepEqual(times, [null, null, TOTALS.endedAt])
  assert.equal(streamed([{ content: 'a' }], { finish: 'length' }).response.completed_at, null)
})

test('what the caller set is repeated, and a tool has all its members', () => {
  const body = {
    ...HEAD.body,
    text: { verbosity: 'low' },
    prompt_cache_key: 'k',
    top_logprobs: 2,
    tools: [
      { type: 'function', name: 'f' },
      { type: 'custom', name: 'patch' },
    ],
  }
  const response = responseOf({ ...HEAD, body }, { status: 'completed', output: [] })
  assert.partialDeepStrictEqual(response, {
    text: { format: { type: 'text' }, verbosity: 'low' },
    prompt_cache_key: 'k',
    top_logprobs: 2,
    tools: [
      { type: 'function', name: 'f', description: null, parameters: null, strict: null },
      { type: 'custom', name: 'patch' },
    ],
  })
})

test('logprobs go with their text', () => {
  const entry = (token: string) => ({ token, logprob: -1, bytes: [1], top_logprobs: [] })
  const delta = (token: string) => ({ content: token, logprobs: { content: [entry(token)] } })
  const { events, response } = streamed([delta('a'), delta('b')], { logprobs: true })
  const said = events.filter(({ type }) => type === 'response.output_text.delta')
  assert.deepEqual(
    said.map(({ logprobs }) => logprobs),
    [[entry('a')], [entry('b')]],
  )
  const [item] = response.output as { content: Fields[] }[]
  assert.deepEqual(item!.content[0]!.logprobs, [entry('a'), entry('b')])
})

test('a stream that fails says so in its last event', async () => {
  const form = responseStreamForm(STYLE, NO_STORAGE)
  const text =
    form.begin({ native: false }) +
    form.write([chunk({ content: 'a' }, null)]) +
    Array.from({ length: 8 }, () => form.heartbeat()).at(-1)! +
    form.fail('', new Failure('upstream_failed', 'Broken.'))
  const done = 'data: [DONE]\n\n'
  assert.ok(text.endsWith(done))
  const all = eventsIn(text.slice(0, -done.length))
  assert.deepEqual(types(all).slice(-2), ['keepalive', 'failed'])
  const failed = all.at(-1)!.response as Fields
  assert.deepEqual(
    [failed.status, failed.error],
    ['failed', { code: 'server_error', message: 'Broken.' }],
  )
  assert.equal((await accumulated(all)).status, 'failed')
})

test('silence: comments, and an event every two minutes', () => {
  const form = responseStreamForm(STYLE, NO_STORAGE)
  form.begin({ native: false })
  const beats = (count: number) => Array.from({ length: count }, () => form.heartbeat())
  assert.deepEqual(new Set(beats(7)), new Set([': keep-alive\n\n']))
  assert.equal(
    form.heartbeat(),
    'event: keepalive\ndata: {"type":"keepalive","sequence_number":2}\n\n',
  )
  // Whatever is said begins the silence anew.
  beats(5)
  form.write([chunk({ content: 'a' }, null)])
  assert.deepEqual(new Set(beats(7)), new Set([': keep-alive\n\n']))
})

test('failures are told in the words that clients act upon', () => {
  const codes = (
    [
      ['insufficient', 'invalid_prompt'],
      ['rate_limited', 'rate_limit_exceeded'],
      ['upstream_rejected', 'invalid_prompt'],
      ['unsuitable', 'invalid_prompt'],
      ['unavailable', 'server_error'],
      ['internal', 'server_error'],
    ] as const
  ).map(([kind, code]) => [failedError(new Failure(kind, 'x')).code, code])
  for (const [found, code] of codes) assert.equal(found, code)
  const long = new Failure('unsuitable', 'x', { code: 'context_length_exceeded' })
  assert.equal(failedError(long).code, 'context_length_exceeded')
  const busy = new Failure('rate_limited', 'Too many.', { retryAfterS: 2 })
  assert.match(failedError(busy).message, /try again in 2s/)
})

test('broken arguments of a whole answer are a failure of the upstream', () => {
  const message = { tool_calls: [{ id: 'x', function: { name: 'f', arguments: '{"a":' } }] }
  assert.throws(
    () => wholeAnswer({ choices: [{ message, finish_reason: 'tool_calls' }] }, HEAD, TOOLS),
    (error) => error instanceof Failure && error.kind === 'upstream_failed',
  )
})

/** The members of OpenAI's object in `openai` 7.55, and those that Open Responses adds. */
const MEMBERS =
  'access_programs background completed_at conversation created_at error frequency_penalty id incomplete_details instructions max_output_tokens max_tool_calls metadata model moderation object output parallel_tool_calls presence_penalty previous_response_id prompt prompt_cache_key reasoning safety_identifier service_tier status store temperature text tool_choice tools top_logprobs top_p truncation usage user'

test('a response has every member, with what was sent or null', () => {
  const body = { ...HEAD.body, max_tool_calls: 3, safety_identifier: 'asha', tools: [{}] }
  const tools = [{ type: 'function', name: 'f' }]
  const head = { ...HEAD, body: { ...body, tools } }
  const made = responseOf(head, { status: 'completed', output: [], ...TOTALS })
  assert.deepEqual(Object.keys(made).toSorted(), MEMBERS.split(' '))
  assert.ok(Object.values(made).every((value) => value !== undefined))
  assert.deepEqual([made.max_tool_calls, made.safety_identifier], [3, 'asha'])
  assert.deepEqual(made.tools, [{ ...tools[0], description: null, parameters: null, strict: null }])
  assert.equal(made.completed_at, TOTALS.endedAt)
  assert.equal((made.text as Fields).verbosity, 'medium')
})

test('a response that cannot be stored says so from its first event, one that failed too', () => {
  const head = { ...HEAD, stores: false }
  const events = new ResponseEvents(new EventWriter(), { ...STYLE, head })
  assert.equal((eventsIn(events.begin())[0]!.response as Fields).store, false)
  const failing = new ResponseEvents(new EventWriter(), STYLE)
  const text = failing.begin() + failing.fail(new Failure('upstream_failed', 'Broken.'))
  assert.equal((eventsIn(text).at(-1)!.response as Fields).store, false)
})

test('a response that is not stored says so', () => {
  const events = new ResponseEvents(new EventWriter(), STYLE)
  const begun = eventsIn(events.begin())
  assert.equal((begun[0]!.response as Fields).store, true)
  const text = events.finish([chunk({ content: 'a' }, 'stop')], TOTALS, () => false)
  assert.match(text, /event: response.completed\n.*"store":false/)
})

test('an item tells of which response it is', () => {
  const response = `resp_${HEAD.seed}`
  assert.deepEqual(placeOfItem(`msg_${HEAD.seed}0`), { response, isInput: false })
  assert.deepEqual(placeOfItem(`ctc_${HEAD.seed}12`), { response, isInput: false })
  assert.deepEqual(placeOfItem(`msg_${HEAD.seed}i3`), { response, isInput: true })
  for (const foreign of ['msg_1', `resp_${HEAD.seed}`, `msg_${HEAD.seed}`, `${HEAD.seed}0`]) {
    assert.equal(placeOfItem(foreign), undefined)
  }
})

test('however an answer is cut into chunks, its events add up to the whole', () => {
  const made = fc.record({
    reasoning: fc.string(),
    content: fc.string(),
    calls: fc.array(
      fc.record({
        name: fc.constantFrom('f', 'mail__send', 'patch', 'unknown'),
        args: fc.oneof(
          fc.dictionary(fc.string(), fc.jsonValue()),
          fc.record({ input: fc.string() }),
        ),
      }),
      { maxLength: 4 },
    ),
    finish: fc.constantFrom('stop', 'length', 'content_filter', 'tool_calls'),
    /** Where the last call breaks off, if it does. */
    cut: fc.nat({ max: 3 }),
  })
  const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(made, sizes, fc.integer({ min: 1, max: 5 }), (answer, cuts, perBatch) => {
      const message = {
        reasoning: answer.reasoning,
        content: answer.content,
        tool_calls: answer.calls.map(({ name, args }, i) => ({
          id: `c${i}`,
          function: { name, arguments: JSON.stringify(args) },
        })),
      }
      const last = message.tool_calls.at(-1)
      if (last && answer.cut > 0) {
        answer.finish = 'length'
        last.function.arguments = last.function.arguments.slice(0, answer.cut)
      }
      const completion = { choices: [{ message, finish_reason: answer.finish }] }
      let stored: Fields = {}
      const store = (response: () => Fields) => {
        stored = response()
        return true
      }
      const said = wholeAnswer(completion, HEAD, TOOLS)
      const shown = wholeResponse(said, TOTALS, { head: HEAD, encrypted: true, store })
      const deltas = cutUp(message, cuts)
      const batches = Array.from({ length: Math.ceil(deltas.length / perBatch) }, (_, i) =>
        deltas.slice(i * perBatch, (i + 1) * perBatch),
      )
      const { events, response } = streamed([], { finish: answer.finish, encrypted: true, batches })
      assert.deepEqual(withoutCallIds(response), withoutCallIds(stored))
      assert.deepEqual(withoutCallIds(events.at(-1)!.response), withoutCallIds(shown))
      for (const { item_id: id, delta } of events) if (delta !== undefined) assert.ok(id)
    }),
  )
})

function withoutCallIds(response: unknown): unknown {
  const text = JSON.stringify(response).replaceAll(/call_[0-9A-Za-z]{24}/g, 'call')
  return JSON.parse(text)
}

function cutUp(
  message: { reasoning: string; content: string; tool_calls: { id: string; function: Fields }[] },
  cuts: number[],
): Fields[] {
  let at = 0
  const pieces = (text: string) => {
    const found: string[] = []
    for (let from = 0; from < text.length;) {
      const size = cuts[at++ % cuts.length]!
      found.push(text.slice(from, from + size))
      from += size
    }
    return found
  }
  return [
    ...pieces(message.reasoning).map((reasoning) => ({ reasoning })),
    ...pieces(message.content).map((content) => ({ content })),
    ...message.tool_calls.flatMap(({ id, function: made }, i) => [
      call(i, '', { id, name: made.name as string }),
      ...pieces(made.arguments as string).map((text) => call(i, text)),
    ]),
  ]
}

test('pieces of one text that an upstream sent together go out as one event', () => {
  const events = new NativeEvents(new EventWriter(), STYLE)
  const type = 'response.output_text.delta'
  const before = (item: string) => `{"type":"${type}","item_id":"${item}","delta":"`
  const after = '","sequence_number":7}'
  const piece = (item: string, text: string) => [type, before(item), text, after].join('\n')
  const further = (text: string) => ['', text, after].join('\n')
  const added = { type: 'response.content_part.added', item_id: 'b', sequence_number: 8 }
  const found = eventsIn(
    events.take([
      piece('a', 'Habari'),
      further(' ya leo'),
      `${added.type}\n${JSON.stringify(added)}`,
      piece('b', 'Nzuri'),
    ]) + events.take([further(' kabisa'), further('.')]),
  )
  assert.deepEqual(found, [
    { type, item_id: 'a', delta: 'Habari ya leo', sequence_number: 0 },
    { ...added, sequence_number: 1 },
    { type, item_id: 'b', delta: 'Nzuri', sequence_number: 2 },
    { type, item_id: 'b', delta: ' kabisa.', sequence_number: 3 },
  ])
})
