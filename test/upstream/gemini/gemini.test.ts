import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import {
  FinishReason,
  FunctionCallingConfigMode,
  GoogleGenAI,
  ThinkingLevel,
  type Candidate,
  type Content,
  type GenerateContentResponse,
  type GenerationConfig,
  type Tool,
  type ToolConfig,
} from '@google/genai'
import { Failure } from '../../../src/lib/failure.ts'
import type { Fields } from '../../../src/lib/json.ts'
import type { ChatRequest, JsonAnswer } from '../../../src/upstream/contract/contract.ts'
import { UpstreamError, StatusError } from '../../../src/upstream/contract/upstream-error.ts'
import { gemini } from '../../../src/upstream/gemini/provider.ts'
import { Events } from '../../../src/upstream/wire/events.ts'
import { bytesSource, itemsOf } from '../sources.ts'

/** What goes over the wire, in the vendor's own types. */
type Body = {
  contents: Content[]
  systemInstruction?: Content
  tools?: Tool[]
  toolConfig?: ToolConfig
  generationConfig: GenerationConfig
}

const SSE = readFileSync(new URL('../fixtures/gemini-stream.sse', import.meta.url))
const ours = { id: 'chatcmpl-1', model: 'google/gemini', created: 5 }
const target = { upstream: 'g', model: 'gemini-3-pro' }
const chat = (body: Fields, more: Partial<ChatRequest> = {}): ChatRequest => ({
  body,
  stream: false,
  ours,
  ...more,
})
const capability = gemini.chat!
const sent = (body: Fields, to = target): unknown =>
  JSON.parse(JSON.stringify(capability.build(chat(body), to).json))
const answer = (json: unknown): JsonAnswer => ({ status: 200, headers: {}, json })

describe('the request to Gemini', () => {
  it('translates every part of a conversation', () => {
    const expected = {
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'hi' },
            { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
            { inlineData: { mimeType: 'audio/mp3', data: 'BBBB' } },
            { inlineData: { mimeType: 'video/mp4', data: 'CCCC' } },
            { inlineData: { mimeType: 'application/pdf', data: 'DDDD' } },
          ],
        },
        {
          role: 'model',
          parts: [
            { text: 'One moment.' },
            { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' },
            { functionCall: { name: 'g', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { name: 'f', response: { output: '42' } } },
            { functionResponse: { name: 'g', response: { b: 2 } } },
            { text: 'And?' },
          ],
        },
      ],
      systemInstruction: { parts: [{ text: 'sys\n\ndev' }] },
      tools: [
        {
          functionDeclarations: [
            { name: 'f', description: 'd', parametersJsonSchema: { type: 'object' } },
            { name: 'g' },
          ],
        },
      ],
      toolConfig: {
        functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['f'] },
      },
      generationConfig: {
        temperature: 0.5,
        topP: 0.9,
        topK: 40,
        seed: 1,
        presencePenalty: 0,
        frequencyPenalty: 0.1,
        candidateCount: 1,
        maxOutputTokens: 10,
        stopSequences: ['X'],
        responseMimeType: 'application/json',
        responseJsonSchema: { type: 'object' },
        thinkingConfig: { thinkingLevel: ThinkingLevel.LOW },
      },
    } satisfies Body
    const body = sent({
      messages: [
        { role: 'system', content: 'sys' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'hi' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            { type: 'input_audio', input_audio: { data: 'BBBB', format: 'mp3' } },
            { type: 'video_url', video_url: { url: 'data:video/mp4;base64,CCCC' } },
            { type: 'file', file: { file_data: 'data:application/pdf;base64,DDDD' } },
          ],
        },
        { role: 'developer', content: 'dev' },
        {
          role: 'assistant',
          content: 'One moment.',
          tool_calls: [
            {
              id: 'c1',
              type: 'function',
              function: { name: 'f', arguments: '{"a":1}' },
              extra_content: { google: { thought_signature: 'c2ln' } },
            },
            { id: 'c2', type: 'function', function: { name: 'g', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'c1', content: '42' },
        { role: 'tool', tool_call_id: 'c2', content: '{"b":2}' },
        { role: 'user', content: 'And?' },
      ],
      temperature: 0.5,
      top_p: 0.9,
      top_k: 40,
      seed: 1,
      presence_penalty: 0,
      frequency_penalty: 0.1,
      n: 1,
      max_tokens: 10,
      stop: ['X'],
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: 'd', parameters: { type: 'object' } },
        },
        { type: 'function', function: { name: 'g' } },
      ],
      tool_choice: { type: 'function', function: { name: 'f' } },
    })
    assert.deepEqual(body, expected)
  })

  it('goes to the model’s own paths with its key header', () => {
    const messages = [{ role: 'user', content: 'x' }]
    assert.equal(
      capability.build(chat({ messages }), target).path,
      '/models/gemini-3-pro:generateContent',
    )
    assert.equal(
      capability.build(chat({ messages }, { stream: true }), target).path,
      '/models/gemini-3-pro:streamGenerateContent?alt=sse',
    )
    assert.deepEqual(gemini.credential('k'), { 'x-goog-api-key': 'k' })
    const older = sent(
      { messages, reasoning_effort: 'none' },
      { ...target, model: 'gemini-2.5-flash' },
    )
    assert.deepEqual((older as Body).generationConfig, {
      thinkingConfig: { thinkingBudget: 0 },
    } satisfies GenerationConfig)
  })

  it('fetches no address a caller gives, and refuses what it cannot translate', () => {
    const user = (part: Fields) => ({ messages: [{ role: 'user', content: [part] }] })
    for (const body of [
      user({ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }),
      user({ type: 'image_url', image_url: { url: 'http://169.254.169.254/' } }),
      user({ type: 'brand_new' }),
      { messages: [{ role: 'tool', tool_call_id: 'nobody', content: 'x' }] },
    ]) {
      assert.throws(
        () => sent(body),
        (error) => error instanceof Failure && error.kind === 'unsuitable',
      )
    }
    const tube = sent(
      user({ type: 'video_url', video_url: { url: 'https://www.youtube.com/watch?v=1' } }),
    ) as Body
    assert.equal(
      tube.contents[0]!.parts![0]!.fileData!.fileUri,
      'https://www.youtube.com/watch?v=1',
    )
  })
})

describe('the answer of Gemini', () => {
  const candidate = {
    index: 0,
    content: {
      role: 'model',
      parts: [
        { text: 'thinking', thought: true },
        { text: 'Habari' },
        { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
        { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'c2ln' },
      ],
    },
    finishReason: FinishReason.STOP,
  } satisfies Candidate
  const full = {
    candidates: [candidate],
    usageMetadata: {
      promptTokenCount: 20,
      toolUsePromptTokenCount: 1,
      cachedContentTokenCount: 4,
      candidatesTokenCount: 9,
      thoughtsTokenCount: 5,
      totalTokenCount: 35,
    },
    responseId: 'resp-1',
  } satisfies Pick<GenerateContentResponse, 'candidates' | 'usageMetadata' | 'responseId'>
  const read = (json: unknown) => capability.read(answer(json), chat({}), target)

  it('becomes a chat completion; its signature comes back even if the caller drops it', () => {
    const result = read(full)
    const [choice] = result.body.choices as { message: Fields; finish_reason: string }[]
    const [call] = choice!.message.tool_calls as { id: string }[]
    assert.match(call!.id, /^call_/)
    assert.deepEqual(choice!.message, {
      role: 'assistant',
      content: 'Habari',
      refusal: null,
      reasoning: 'thinking',
      tool_calls: [
        {
          id: call!.id,
          type: 'function',
          function: { name: 'f', arguments: '{"a":1}' },
          extra_content: { google: { thought_signature: 'c2ln' } },
        },
      ],
      images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
    })
    assert.equal(choice!.finish_reason, 'tool_calls')
    assert.deepEqual(result.usage, {
      kind: 'reported',
      usage: { promptTokens: 21, completionTokens: 14, cachedTokens: 4, reasoningTokens: 5 },
    })
    const replayed = sent({
      messages: [
        { role: 'user', content: 'x' },
        {
          role: 'assistant',
          tool_calls: [{ id: call!.id, function: { name: 'f', arguments: '{"a":1}' } }],
        },
        { role: 'tool', tool_call_id: call!.id, content: 'y' },
      ],
    }) as Body
    assert.equal(replayed.contents[1]!.parts![0]!.thoughtSignature, 'c2ln')
  })

  it('a signature may also come back as a detail of the reasoning, by the id of its call', () => {
    const detail = { type: 'reasoning.encrypted', format: 'google-gemini-v1' }
    const body = sent({
      messages: [
        { role: 'user', content: 'x' },
        {
          role: 'assistant',
          reasoning_details: [
            { ...detail, id: 'other', data: 'no' },
            { ...detail, id: 'toolu_1', data: 'c2ln' },
          ],
          tool_calls: [{ id: 'toolu_1', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'y' },
      ],
    }) as Body
    assert.equal(body.contents[1]!.parts![0]!.thoughtSignature, 'c2ln')
  })

  it('maps finish reasons', () => {
    const finish = (finishReason: unknown, parts: unknown[] = [{ text: 'a' }]) =>
      read({ candidates: [{ content: { parts }, finishReason }] }).finishReason
    assert.deepEqual(
      ['STOP', 'MAX_TOKENS', 'SAFETY', 'SPII', 'OTHER', 'CONTINUATION'].map((one) => finish(one)),
      ['stop', 'length', 'content_filter', 'content_filter', 'stop', 'stop'],
    )
    assert.equal(finish('SAFETY', []), 'content_filter')
    assert.throws(() => finish('MALFORMED_FUNCTION_CALL', []), UpstreamError)
  })

  it('a blocked prompt, an error and garbage', () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: {} }
    assert.throws(
      () => read(blocked),
      (error) =>
        error instanceof StatusError &&
        JSON.stringify(gemini.classify(error)) === '{"kind":"rejected","why":"content_policy"}',
    )
    assert.throws(() => read({ error: { code: 503 } }), StatusError)
    for (const json of [{}, [], { candidates: [] }, null])
      assert.throws(() => read(json), UpstreamError)
  })

  it('an implausible count takes nothing from the others', () => {
    const usage = (more: Fields) =>
      read({ ...full, usageMetadata: { ...full.usageMetadata, ...more } }).usage
    const bad = (more: Fields) => {
      const reading = usage(more)
      assert.ok(reading.kind === 'reported')
      const { promptTokens, completionTokens, leastCompletionTokens } = reading.usage
      return [reading.bad, promptTokens, completionTokens, leastCompletionTokens]
    }
    assert.deepEqual(bad({ thoughtsTokenCount: -9 }), ['negative', 21, 9, undefined])
    assert.deepEqual(bad({ candidatesTokenCount: '9' }), ['not_a_number', 21, undefined, 5])
    assert.equal(read({ ...full, usageMetadata: undefined }).usage.kind, 'absent')
  })
})

describe('the stream of Gemini', () => {
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

  it('says the same as the vendor’s own SDK reads from the same bytes', async () => {
    const server = createServer((_request, reply) => {
      reply.writeHead(200, { 'content-type': 'text/event-stream' }).end(SSE)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as AddressInfo
    const client = new GoogleGenAI({
      apiKey: 'k',
      httpOptions: { baseUrl: `http://127.0.0.1:${port}` },
    })
    const theirs: GenerateContentResponse[] = []
    const stream = await client.models.generateContentStream({ model: target.model, contents: 'x' })
    for await (const part of stream) theirs.push(part)
    server.closeAllConnections()
    await new Promise((done) => server.close(done))

    const { reader, chunks } = await chunksOf(SSE)
    const deltas = chunks.map((chunk) => (chunk.choices as { delta: Fields }[])[0]!.delta)
    const parts = theirs.flatMap((one) => one.candidates![0]!.content!.parts!)
    const text = parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join('')
    assert.equal(
      deltas.map(({ content }) => (typeof content === 'string' ? content : '')).join(''),
      text,
    )
    const calls = deltas.flatMap((delta) => (delta.tool_calls as { function: Fields }[]) ?? [])
    assert.deepEqual(
      calls.map((call) => [call.function.name, JSON.parse(String(call.function.arguments))]),
      parts.flatMap(({ functionCall }) =>
        functionCall ? [[functionCall.name, functionCall.args]] : [],
      ),
    )
    const last = theirs.at(-1)!.usageMetadata!
    assert.ok(reader.usage.kind === 'reported')
    assert.equal(reader.usage.usage.promptTokens, last.promptTokenCount)
    assert.equal(
      reader.usage.usage.completionTokens,
      last.totalTokenCount! - last.promptTokenCount!,
    )
  })

  it('gives OpenAI’s chunks', async () => {
    const { reader, chunks } = await chunksOf(SSE)
    const choices = chunks.map((chunk) => (chunk.choices as Fields[])[0]!)
    assert.deepEqual(choices.slice(0, 2), [
      {
        index: 0,
        delta: { role: 'assistant', content: '', reasoning: 'Let me think.' },
        finish_reason: null,
      },
      { index: 0, delta: { content: 'Habari ' }, finish_reason: null },
    ])
    assert.equal(choices[2]!.finish_reason, 'tool_calls')
    assert.deepEqual([reader.finishReason, reader.generationId], ['tool_calls', 'resp-1'])
    assert.deepEqual(reader.usage, {
      kind: 'reported',
      usage: { promptTokens: 20, completionTokens: 14, cachedTokens: 4, reasoningTokens: 5 },
    })
  })

  it('a stream that ends early is broken, a bare error is an error', async () => {
    const half = SSE.subarray(0, SSE.lastIndexOf('data: '))
    await assert.rejects(
      chunksOf(half),
      (error) => error instanceof UpstreamError && error.kind === 'reset',
    )
    const reader = capability.reader(chat({}, { stream: true }), target)
    assert.throws(
      () => reader.read({ event: 'bare', data: '{"error":{"code":429,"status":"x"}}' }),
      (error) => error instanceof StatusError && error.status === 429,
    )
    await assert.rejects(chunksOf(Buffer.from('')), UpstreamError)
  })
})

describe('embeddings of Gemini', () => {
  const { build, read } = gemini.embeddings!

  it('asks in a batch and reads one vector for each text', () => {
    const request = { body: { input: ['a', 'b'], dimensions: 2 }, inputs: 2 }
    const call = build(request, { upstream: 'g', model: 'gemini-embedding-001' })
    assert.equal(call.path, '/models/gemini-embedding-001:batchEmbedContents')
    assert.deepEqual(JSON.parse(JSON.stringify(call.json)).requests[1], {
      model: 'models/gemini-embedding-001',
      content: { role: 'user', parts: [{ text: 'b' }] },
      outputDimensionality: 2,
    })
    const json = { embeddings: [{ values: [1, 2] }, { values: [3, 4] }] }
    const result = read(answer(json), request, target)
    assert.deepEqual(
      result.vectors.map((vector) => [...vector]),
      [
        [1, 2],
        [3, 4],
      ],
    )
    assert.equal(result.usage.kind, 'absent')
    assert.throws(() => build({ body: { input: [[1, 2]] }, inputs: 1 }, target), Failure)
  })
})
