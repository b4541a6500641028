import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { Failure } from '../../../src/lib/failure.ts'
import type { Fields } from '../../../src/lib/json.ts'
import { anthropic } from '../../../src/upstream/anthropic/provider.ts'
import type {
  ChatRequest,
  JsonAnswer,
  ModelTarget,
} from '../../../src/upstream/contract/contract.ts'
import { UpstreamError, StatusError } from '../../../src/upstream/contract/upstream-error.ts'
import { Events } from '../../../src/upstream/wire/events.ts'
import { bytesSource, itemsOf } from '../sources.ts'

type Params = Anthropic.MessageCreateParams

const SSE = readFileSync(new URL('../fixtures/anthropic-tool-use.sse', import.meta.url))
const ours = { id: 'chatcmpl-1', model: 'anthropic/claude', created: 5 }
const target = { upstream: 'a', model: 'claude-door-1' }
const chat = (body: Fields, more: Partial<ChatRequest> = {}): ChatRequest => ({
  body,
  stream: false,
  ours,
  ...more,
})
const capability = anthropic.chat!
const sent = (request: ChatRequest, to: ModelTarget = target): unknown =>
  JSON.parse(JSON.stringify(capability.build(request, to).json))
const answer = (json: unknown): JsonAnswer => ({ status: 200, headers: {}, json })

describe('the request to Anthropic', () => {
  it('translates every part of a conversation', () => {
    const request = chat(
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'developer', content: [{ type: 'text', text: 'In Kiswahili.' }] },
          { role: 'user', content: 'Weather?' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'here' },
              { type: 'text', text: '' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
              { type: 'image_url', image_url: { url: 'https://example.com/a.jpg' } },
              {
                type: 'file',
                file: { filename: 'd.pdf', file_data: 'data:application/pdf;base64,BBBB' },
              },
            ],
          },
          {
            role: 'assistant',
            content: null,
            tool_calls: [
              { id: 'c1', type: 'function', function: { name: 'get', arguments: '{"a":1}' } },
              { id: 'c2', type: 'function', function: { name: 'now', arguments: '' } },
            ],
          },
          { role: 'tool', tool_call_id: 'c1', content: '31' },
          { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: 'noon' }] },
          { role: 'user', content: 'And?' },
        ],
        max_completion_tokens: 100,
        stop: 'END',
        tools: [
          {
            type: 'function',
            function: {
              name: 'get',
              description: 'd',
              parameters: { type: 'object' },
              strict: true,
            },
          },
          { type: 'function', function: { name: 'now' } },
        ],
        tool_choice: 'required',
        parallel_tool_calls: false,
        reasoning_effort: 'minimal',
        response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
        logit_bias: {},
        seed: 1,
      },
      { user: 'hash', stream: true },
    )
    const expected = {
      model: 'claude-door-1',
      max_tokens: 100,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Weather?' },
            { type: 'text', text: 'here' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            { type: 'image', source: { type: 'url', url: 'https://example.com/a.jpg' } },
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: 'BBBB' },
              title: 'd.pdf',
            },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'c1', name: 'get', input: { a: 1 } },
            { type: 'tool_use', id: 'c2', name: 'now', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: '31' },
            { type: 'tool_result', tool_use_id: 'c2', content: 'noon' },
            { type: 'text', text: 'And?' },
          ],
        },
      ],
      system: [
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: 'In Kiswahili.' },
      ],
      stop_sequences: ['END'],
      tools: [
        { name: 'get', description: 'd', input_schema: { type: 'object' }, strict: true },
        { name: 'now', input_schema: { type: 'object', properties: {} } },
      ],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      output_config: {
        effort: 'low',
        format: { type: 'json_schema', schema: { type: 'object' } },
      },
      metadata: { user_id: 'hash' },
      stream: true,
    } satisfies Params
    assert.deepEqual(sent(request), expected)
    const call = capability.build(request, target)
    assert.equal(call.path, '/messages')
    assert.equal(call.headers!['anthropic-version'], '2023-06-01')
    assert.deepEqual(anthropic.credential('k'), { 'x-api-key': 'k' })
  })

  it('clamps what it takes of sampling, and the length', () => {
    const request = chat({ messages: [{ role: 'user', content: 'hi' }], temperature: 1.5 })
    const expected = {
      model: 'claude-door-1',
      max_tokens: 8192,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    } satisfies Params
    assert.deepEqual(sent(request), { ...expected, temperature: 1 })
    assert.equal((sent(request, { ...target, maxOutputTokens: 4096 }) as Fields).max_tokens, 4096)
  })

  it('maps tool choices and JSON mode', () => {
    const base = {
      messages: [{ role: 'user', content: 'hi' }],
      tools: [{ type: 'function', function: { name: 'f' } }],
    }
    const choice = (tool_choice: unknown) =>
      (sent(chat({ ...base, tool_choice })) as Fields).tool_choice
    assert.deepEqual(choice('auto'), { type: 'auto' } satisfies Params['tool_choice'])
    assert.deepEqual(choice('none'), { type: 'none' } satisfies Params['tool_choice'])
    assert.deepEqual(choice({ type: 'function', function: { name: 'f' } }), {
      type: 'tool',
      name: 'f',
    } satisfies Params['tool_choice'])
    assert.equal(choice(undefined), undefined)
    const json = sent(chat({ ...base, response_format: { type: 'json_object' } })) as Fields
    assert.match(JSON.stringify(json.system), /JSON object/)
    const none = sent(chat({ ...base, reasoning_effort: 'none' })) as Fields
    assert.deepEqual(none.thinking, { type: 'disabled' } satisfies Params['thinking'])
  })

  it('gives thinking back as it was signed, and only its own; results may have pictures', () => {
    const format = 'anthropic-claude-v1'
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
    const body = sent(
      chat({
        messages: [
          { role: 'user', content: 'hi' },
          {
            role: 'assistant',
            content: 'Looking.',
            reasoning_details: [
              { type: 'reasoning.text', text: 'hm', signature: 's', format, index: 0 },
              { type: 'reasoning.encrypted', data: 'd', format, index: 1 },
              { type: 'reasoning.text', text: 'unsigned', format, index: 2 },
              { type: 'reasoning.encrypted', data: 'x', format: 'google-gemini-v1', id: 'c' },
            ],
            tool_calls: [call],
          },
          {
            role: 'tool',
            tool_call_id: 'c',
            content: [
              { type: 'text', text: 'See:' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            ],
          },
        ],
      }),
    ) as Params
    assert.deepEqual(body.messages.slice(1), [
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 's' },
          { type: 'redacted_thinking', data: 'd' },
          { type: 'text', text: 'Looking.' },
          { type: 'tool_use', id: 'c', name: 'f', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'c',
            content: [
              { type: 'text', text: 'See:' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            ],
          },
        ],
      },
    ] satisfies Params['messages'])
  })

  it('refuses, with a message, what it cannot translate', () => {
    const user = { role: 'user', content: 'hi' }
    for (const body of [
      { messages: [user], n: 2 },
      { messages: [user, { role: 'assistant', content: 'pre' }] },
      { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: 'file:///etc' }] }] },
      {
        messages: [
          user,
          { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{' } }] },
          user,
        ],
      },
    ]) {
      assert.throws(
        () => sent(chat(body)),
        (error) => error instanceof Failure && error.kind === 'unsuitable',
      )
    }
  })
})

const thought = (piece: object) => ({
  type: 'reasoning.text',
  ...piece,
  format: 'anthropic-claude-v1',
  index: 0,
})

describe('the answer of Anthropic', () => {
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-door-1',
    container: null,
    stop_details: null,
    content: [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'Ha', citations: null },
      { type: 'text', text: 'bari', citations: null },
      {
        type: 'tool_use',
        id: 'toolu_1',
        name: 'f',
        input: { a: 1 },
        caller: { type: 'direct' },
      },
    ],
    stop_reason: 'tool_use',
    stop_sequence: null,
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 3,
      cache_read_input_tokens: 20,
      cache_creation: null,
      output_tokens: 7,
      output_tokens_details: { thinking_tokens: 2 },
      inference_geo: null,
      server_tool_use: null,
      service_tier: null,
      speed: null,
    },
  } satisfies Partial<Anthropic.Message> & Fields

  it('becomes a chat completion', () => {
    const result = capability.read(answer(message), chat({}), target)
    assert.deepEqual(result.body, {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 5,
      model: 'anthropic/claude',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'Habari',
            refusal: null,
            reasoning: 'hm',
            reasoning_details: [thought({ text: 'hm', signature: 's' })],
            tool_calls: [
              { id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
            ],
          },
          finish_reason: 'tool_calls',
          logprobs: null,
        },
      ],
    })
    assert.equal(result.generationId, 'msg_1')
  })

  it('maps every stop reason, also a new one', () => {
    const finish = (stop_reason: unknown) =>
      capability.read(answer({ ...message, stop_reason }), chat({}), target).finishReason
    assert.deepEqual(
      [
        'end_turn',
        'stop_sequence',
        'pause_turn',
        'max_tokens',
        'model_context_window_exceeded',
        'refusal',
        'brand_new',
      ].map(finish),
      ['stop', 'stop', 'stop', 'length', 'length', 'content_filter', 'stop'],
    )
  })

  it('an implausible count takes nothing from the others', () => {
    const usage = (more: Fields) =>
      capability.read(
        answer({ ...message, usage: { ...message.usage, ...more } }),
        chat({}),
        target,
      ).usage
    const parts = { cachedTokens: 20, cacheWriteTokens: 3, reasoningTokens: 2 }
    const left = (bad: string, counts: object) => ({
      kind: 'reported',
      usage: { ...parts, ...counts },
      bad,
    })
    const noPrompt = { leastPromptTokens: 23, completionTokens: 7 }
    assert.deepEqual(usage({ input_tokens: -5 }), left('negative', noPrompt))
    const noAnswer = { promptTokens: 33 }
    assert.deepEqual(usage({ output_tokens: 'NaN' }), left('not_a_number', noAnswer))
    assert.deepEqual(usage({ output_tokens: 1e308 }), left('absurd', noAnswer))
    assert.equal(
      capability.read(answer({ ...message, usage: undefined }), chat({}), target).usage.kind,
      'absent',
    )
  })

  it('errors and garbage inside a 200', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'x' } }
    assert.throws(
      () => capability.read(answer(error), chat({}), target),
      (error) => error instanceof StatusError && error.status === 529,
    )
    for (const json of [{}, [], { type: 'message' }, 'x']) {
      assert.throws(() => capability.read(answer(json), chat({}), target), UpstreamError)
    }
  })
})

describe('the stream of Anthropic', () => {
  const chunksOf = async (bytes: Buffer) => {
    const reader = capability.reader(chat({}, { stream: true }), target)
    const chunks: Fields[] = []
    for await (const batch of itemsOf(new Events(bytesSource(bytes)))) {
      for (const event of batch) {
        for (const text of reader.read(event)) chunks.push(JSON.parse(text))
      }
    }
    reader.close()
    return { reader, chunks }
  }
  const deltas = (chunks: Fields[]) =>
    chunks.map((chunk) => (chunk.choices as { delta: Fields }[])[0]!.delta)

  it('says the same as the vendor’s own SDK reads from the same bytes', async () => {
    const server = createServer((_request, reply) => {
      reply.writeHead(200, { 'content-type': 'text/event-stream' }).end(SSE)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const client = new Anthropic({
      apiKey: 'k',
      baseURL: `http://127.0.0.1:${port}`,
      maxRetries: 0,
    })
    const { json } = capability.build(chat({ messages: [{ role: 'user', content: 'x' }] }), target)
    const body = JSON.parse(JSON.stringify(json)) as Anthropic.MessageCreateParamsNonStreaming
    const theirs = await client.messages.stream(body).finalMessage()
    await new Promise((done) => server.close(done))

    const { reader, chunks } = await chunksOf(SSE)
    const found = deltas(chunks)
    const text = found.map(({ content }) => (typeof content === 'string' ? content : '')).join('')
    assert.equal(
      text,
      theirs.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    )
    const calls: { id: string; name: string; arguments: string }[] = []
    for (const call of found.flatMap((delta) => (delta.tool_calls as Fields[]) ?? [])) {
      const made = call.function as { name?: string; arguments: string }
      const index = call.index as number
      if (call.id) calls[index] = { id: call.id as string, name: made.name!, arguments: '' }
      calls[index]!.arguments += made.arguments
    }
    assert.deepEqual(
      calls.map(({ id, name, arguments: args }) => ({ id, name, input: JSON.parse(args) })),
      theirs.content.flatMap((block) =>
        block.type === 'tool_use' ? [{ id: block.id, name: block.name, input: block.input }] : [],
      ),
    )
    assert.ok(reader.usage.kind === 'reported')
    assert.equal(reader.usage.usage.completionTokens, theirs.usage.output_tokens)
    assert.equal(
      reader.usage.usage.promptTokens,
      theirs.usage.input_tokens +
        theirs.usage.cache_read_input_tokens! +
        theirs.usage.cache_creation_input_tokens!,
    )
  })

  it('gives chunks in OpenAI’s order, tools numbered from zero', async () => {
    const { reader, chunks } = await chunksOf(SSE)
    assert.deepEqual(deltas(chunks), [
      { role: 'assistant', content: '' },
      {
        reasoning: 'The user wants weather.',
        reasoning_details: [thought({ text: 'The user wants weather.' })],
      },
      { reasoning_details: [thought({ signature: 'EqQBCg==' })] },
      { content: "I'll check the " },
      { content: 'weather in Zürich.' },
      {
        tool_calls: [
          {
            index: 0,
            id: 'toolu_01NRLa',
            type: 'function',
            function: { name: 'get_weather', arguments: '' },
          },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"location"' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ': "Zürich"}' } }] },
      {
        tool_calls: [
          {
            index: 1,
            id: 'toolu_02Now',
            type: 'function',
            function: { name: 'now', arguments: '' },
          },
        ],
      },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
      {},
    ])
    assert.deepEqual(
      [reader.done, reader.finishReason, reader.generationId],
      [true, 'tool_calls', 'msg_01BkQ8'],
    )
    assert.deepEqual(reader.usage, {
      kind: 'reported',
      usage: {
        promptTokens: 489,
        completionTokens: 65,
        cachedTokens: 100,
        cacheWriteTokens: 12,
      },
    })
  })

  it('a stream that ends early is broken, an error event is an error', async () => {
    const half = SSE.subarray(0, SSE.indexOf('event: message_delta'))
    await assert.rejects(
      chunksOf(half),
      (error) => error instanceof UpstreamError && error.kind === 'reset',
    )
    const error =
      'event: error\ndata: {"type":"error","error":{"type":"rate_limit_error","message":"x"}}\n\n'
    await assert.rejects(
      chunksOf(Buffer.concat([half, Buffer.from(error)])),
      (error) => error instanceof StatusError && error.status === 429,
    )
    await assert.rejects(chunksOf(Buffer.from('')), UpstreamError)
    const future = Buffer.from('event: brand_new\ndata: {"type":"brand_new"}\n\n')
    await chunksOf(Buffer.concat([future, SSE]))
  })
})
