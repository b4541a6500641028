import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { Fields } from '../../../src/lib/json.ts'
import { usageChunk } from '../../../src/upstream/contract/chunks.ts'
import type {
  ChatRequest,
  HttpCall,
  JsonAnswer,
  Provider,
} from '../../../src/upstream/contract/contract.ts'
import { UpstreamError, type StatusError } from '../../../src/upstream/contract/upstream-error.ts'
import { vectorBase64 } from '../../../src/upstream/contract/vectors.ts'
import { openai } from '../../../src/upstream/openai/provider.ts'
import { openrouter } from '../../../src/upstream/openrouter/provider.ts'

const ours = { id: 'chatcmpl-1', model: 'openai/gpt-4o', created: 99 }
const target = { upstream: 'u', model: 'openai/gpt-4o-2024' }
const chat = (body: Fields, more: Partial<ChatRequest> = {}): ChatRequest => ({
  body,
  stream: false,
  ours,
  ...more,
})
const answer = (json: unknown, headers = {}): JsonAnswer => ({ status: 200, headers, json })
const bodyOf = (call: HttpCall): Fields => JSON.parse(bytesOf(call).toString())
/** What goes over the wire, held against the length that is told. */
const bytesOf = ({ json, body }: HttpCall): Buffer => {
  if (body === undefined) return Buffer.from(JSON.stringify(json))
  const bytes = Buffer.concat([...body.read()])
  assert.equal(bytes.length, body.length)
  return bytes
}
const USAGE = {
  prompt_tokens: 818,
  completion_tokens: 260,
  total_tokens: 1078,
  cost: 0.004756,
  is_byok: false,
  prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 5, audio_tokens: 0 },
  cost_details: { upstream_inference_cost: 0.004756 },
  completion_tokens_details: { reasoning_tokens: 288 },
}
const NORMAL = {
  promptTokens: 818,
  completionTokens: 260,
  cachedTokens: 10,
  cacheWriteTokens: 5,
  audioTokens: 0,
  reasoningTokens: 260,
  costUsd: '0.004756',
}
const errorOf = (work: () => unknown): UpstreamError => {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof UpstreamError, String(error))
    return error
  }
  throw new assert.AssertionError({ message: 'no error' })
}

for (const [name, provider] of Object.entries({ openrouter, openai } as Record<string, Provider>)) {
  describe(`chat of ${name}`, () => {
    const capability = provider.chat!

    it('our own fields win', () => {
      const call = capability.build(
        chat(
          {
            model: 'mine',
            messages: [{ role: 'user', content: 'hi' }],
            temperature: 0.5,
            user: 'me',
          },
          { user: 'hash', extra: { plugins: [{ id: 'file-parser' }] }, stream: true },
        ),
        target,
      )
      assert.equal(call.path, '/chat/completions')
      assert.equal(call.expects, 'sse')
      assert.deepEqual(bodyOf(call), {
        messages: [{ role: 'user', content: 'hi' }],
        temperature: 0.5,
        plugins: [{ id: 'file-parser' }],
        model: 'openai/gpt-4o-2024',
        user: 'hash',
        stream: true,
        stream_options: { include_usage: true },
      })
    })

    it('reads an answer: our names, no provider, no price, unknown members kept', () => {
      const result = capability.read(
        answer(
          {
            id: 'gen-1777903368-VISjaqh4vj28SScWcgcH',
            object: 'chat.completion',
            created: 1777903368,
            model: 'openai/gpt-4o',
            provider: 'OpenAI',
            user_id: 'org_1',
            system_fingerprint: 'fp_44709d6fcb',
            choices: [
              {
                index: 0,
                finish_reason: 'stop',
                native_finish_reason: 'stop',
                logprobs: null,
                message: { role: 'assistant', content: 'Hello there!', annotations: [] },
              },
            ],
            usage: USAGE,
          },
          { 'x-generation-id': 'gen-header' },
        ),
        chat({}),
        target,
      )
      assert.deepEqual(JSON.parse(JSON.stringify(result.body)), {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 99,
        model: 'openai/gpt-4o',
        system_fingerprint: 'fp_44709d6fcb',
        choices: [
          {
            index: 0,
            finish_reason: 'stop',
            logprobs: null,
            message: { role: 'assistant', content: 'Hello there!', annotations: [] },
          },
        ],
      })
      assert.equal(result.text, 'Hello there!')
      assert.equal(result.finishReason, 'stop')
      assert.equal(result.generationId, 'gen-header')
      assert.deepEqual(result.usage, { kind: 'reported', usage: NORMAL })
    })

    it('a 200 can be an error', () => {
      const bodies: [unknown, number | undefined][] = [
        [{ error: { message: 'Internal Server Error', code: 500 }, user_id: 'org_1' }, 500],
        [{ error: { message: 'slow down', code: '429' } }, 429],
        [{ error: 'a text' }, 500],
        [{ choices: [{ message: {}, finish_reason: 'error', error: { code: 502 } }] }, 502],
        [{ choices: [{ message: {}, finish_reason: 'error' }] }, 500],
        [{ choices: [] }, undefined],
        [{ choices: [{ text: 'old' }] }, undefined],
        [{}, undefined],
        [[], undefined],
        ['text', undefined],
        [null, undefined],
      ]
      for (const [json, status] of bodies) {
        const error = errorOf(() => capability.read(answer(json), chat({}), target))
        if (status === undefined) assert.equal(error.kind, 'garbage')
        else assert.equal((error as StatusError).status, status)
      }
    })

    it('streams a recorded answer', () => {
      const reader = capability.reader(chat({}, { stream: true }), target)
      const text = readFileSync(new URL('../fixtures/openrouter-chat.sse', import.meta.url), 'utf8')
      const chunks = text
        .split('\n\n')
        .filter((block) => block.startsWith('data: '))
        .flatMap((block) => reader.read({ data: block.slice(6) }))
        .map((chunk) => JSON.parse(chunk) as Fields)
      reader.close()
      assert.equal(reader.done, true)
      assert.equal(reader.finishReason, 'tool_calls')
      assert.equal(reader.generationId, 'gen-1777903368-VISjaqh4vj28SScWcgcH')
      assert.equal(reader.outputBytes, 7)
      assert.deepEqual(chunks[1], {
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 99,
        model: 'openai/gpt-4o',
        choices: [
          {
            index: 0,
            delta: { content: 'llo', future_member: [1] },
            finish_reason: null,
            logprobs: null,
          },
        ],
      })
      assert.equal(chunks.length, 3)
      assert.ok(chunks.every((chunk) => !('usage' in chunk) && !('provider' in chunk)))
      assert.ok(reader.usage.kind === 'reported')
      assert.equal(reader.usage.usage.costUsd, '0.004756')
      assert.deepEqual(JSON.parse(usageChunk(ours, reader.usage.usage)), {
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 99,
        model: 'openai/gpt-4o',
        choices: [],
        usage: {
          prompt_tokens: 818,
          completion_tokens: 260,
          total_tokens: 1078,
          prompt_tokens_details: { cached_tokens: 10 },
          completion_tokens_details: { reasoning_tokens: 260 },
        },
      })
    })

    it('knows how a stream ended', () => {
      const begin = () => {
        const reader = capability.reader(chat({}, { stream: true }), target)
        reader.read({ data: '{"choices":[{"index":0,"delta":{"content":"a"}}]}' })
        return reader
      }
      const broken = begin()
      assert.equal(errorOf(() => broken.close()).kind, 'reset')
      const withoutFinish = begin()
      withoutFinish.read({ data: '[DONE]' })
      withoutFinish.close()
      const withoutDone = begin()
      withoutDone.read({ data: '{"choices":[{"index":0,"delta":null,"finish_reason":"stop"}]}' })
      withoutDone.close()
      const empty = capability.reader(chat({}), target)
      empty.read({ data: '[DONE]' })
      assert.equal(errorOf(() => empty.close()).kind, 'garbage')
      for (const data of [
        '{"error":{"code":429,"message":"x"},"choices":[{"finish_reason":"error"}]}',
        '{"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}',
        '{"error":{"code":"server_error","message":"x"}}',
      ]) {
        assert.equal(errorOf(() => begin().read({ data })).kind, 'status')
      }
      for (const data of ['<html>', '{"a":', '[]', '7', '']) {
        assert.equal(errorOf(() => begin().read({ data })).kind, 'garbage')
      }
    })

    it('gives tool calls the index a server left out', () => {
      const reader = capability.reader(chat({}), target)
      const call = '{"id":"c","function":{"name":"f","arguments":"{}"}}'
      const [chunk] = reader.read({
        data: `{"choices":[{"index":0,"delta":{"tool_calls":[${call},${call}]}}]}`,
      })
      const { choices } = JSON.parse(chunk!)
      assert.deepEqual(
        choices[0].delta.tool_calls.map(({ index }: { index: number }) => index),
        [0, 1],
      )
    })
  })

  describe(`embeddings, speech and pictures of ${name}`, () => {
    it('embeddings: floats and base64 are both read, order is by index', () => {
      const { build, read } = provider.embeddings!
      const request = {
        body: { input: ['a', 'b'], encoding_format: 'float', user: 'x' },
        inputs: 2,
      }
      assert.deepEqual(bodyOf(build(request, target)), {
        input: ['a', 'b'],
        model: 'openai/gpt-4o-2024',
        encoding_format: 'base64',
      })
      const base64 = vectorBase64(Float32Array.from([0.5, -1]))
      const result = read(
        answer({
          data: [
            { index: 1, embedding: base64 },
            { index: 0, embedding: [0.25, 2] },
          ],
          usage: { prompt_tokens: 8, total_tokens: 8, cost: 1.6e-7 },
        }),
        request,
        target,
      )
      assert.deepEqual(
        result.vectors.map((vector) => [...vector]),
        [
          [0.25, 2],
          [0.5, -1],
        ],
      )
      assert.deepEqual(result.usage, {
        kind: 'reported',
        usage: { promptTokens: 8, costUsd: '0.00000016' },
      })
    })

    it('refuses vectors that would be silently wrong', () => {
      const { read } = provider.embeddings!
      const request = { body: {}, inputs: 2 }
      for (const data of [
        [{ index: 0, embedding: [1] }],
        [{ embedding: [1] }, { embedding: [1, 2] }],
        [
          { index: 0, embedding: [1] },
          { index: 0, embedding: [1] },
        ],
        [
          { index: 0, embedding: [1] },
          { index: 5, embedding: [1] },
        ],
        [{ embedding: [] }, { embedding: [] }],
        [{ embedding: ['a'] }, { embedding: [1] }],
        [{ embedding: 'AAA=' }, { embedding: 'AAAA' }],
        [{ embedding: 'AADAfw==' }, { embedding: 'AADAfw==' }],
        'none',
      ]) {
        assert.equal(errorOf(() => read(answer({ data }), request, target)).kind, 'garbage')
      }
    })

    it('always sends the audio format, and caps the answer', () => {
      const { build, read } = provider.speech!
      const request = {
        input: 'Habari',
        voice: 'eve',
        responseFormat: 'mp3' as const,
        maxBytes: 1000,
      }
      const call = build(request, target)
      assert.deepEqual([call.path, call.maxBytes, call.overflow], ['/audio/speech', 1000, 'caller'])
      assert.deepEqual(bodyOf(call), {
        model: 'openai/gpt-4o-2024',
        input: 'Habari',
        voice: 'eve',
        response_format: 'mp3',
      })
      const headers = { 'content-type': 'audio/mpeg', 'x-generation-id': 'gen-9' }
      assert.deepEqual(read({ status: 200, headers }, request), {
        mediaType: 'audio/mpeg',
        generationId: 'gen-9',
      })
      const json = { 'content-type': 'application/json' }
      assert.equal(errorOf(() => read({ status: 200, headers: json }, request)).kind, 'garbage')
    })

    it('images: bytes only, a URL is never followed', () => {
      const { build, read } = provider.image!
      const request = {
        prompt: 'a door',
        n: 2,
        extra: { size: '1024x1024' },
      }
      const sent = bodyOf(build(request, target))
      assert.deepEqual(
        { ...sent, response_format: undefined },
        {
          size: '1024x1024',
          model: 'openai/gpt-4o-2024',
          prompt: 'a door',
          n: 2,
          response_format: undefined,
        },
      )
      const result = read(
        answer({
          created: 1748372400,
          data: [
            { b64_json: 'iVBORw0KGgoAAAA' },
            { b64_json: '/9j/4AAQ', media_type: 'image/jpeg' },
          ],
          usage: { prompt_tokens: 0, completion_tokens: 4175, total_tokens: 4175, cost: 0.04 },
        }),
        request,
        target,
      )
      assert.deepEqual(
        result.images.map(({ mediaType }) => mediaType),
        ['image/png', 'image/jpeg'],
      )
      assert.ok(result.usage.kind === 'reported')
      assert.equal(result.usage.usage.costUsd, '0.04')
      for (const data of [[], [{ url: 'https://x/y.png' }], [{ b64_json: '' }], 'x']) {
        assert.equal(errorOf(() => read(answer({ data }), request, target)).kind, 'garbage')
      }
    })

    it('reads transcriptions of both shapes', () => {
      const { read } = provider.transcription!
      const request = { audio: Buffer.from('a'), format: 'wav', responseFormat: 'json' as const }
      const plain = read(
        answer({
          text: 'Hello',
          usage: {
            seconds: 9.2,
            input_tokens: 83,
            output_tokens: 30,
            total_tokens: 113,
            cost: 0.000508,
          },
        }),
        request,
        target,
      )
      assert.deepEqual(plain, {
        text: 'Hello',
        language: undefined,
        durationS: 9.2,
        verbose: {},
        generationId: undefined,
        usage: {
          kind: 'reported',
          usage: {
            promptTokens: 83,
            completionTokens: 30,
            seconds: 9.2,
            costUsd: '0.000508',
          },
        },
      })
      const verbose = read(
        answer({
          task: 'transcribe',
          language: 'english',
          duration: 8.47,
          text: 'Hi',
          segments: [],
        }),
        request,
        target,
      )
      assert.deepEqual(
        [verbose.language, verbose.durationS, verbose.verbose, verbose.usage.kind],
        ['english', 8.47, { task: 'transcribe', segments: [] }, 'absent'],
      )
      assert.equal(errorOf(() => read(answer({ words: [] }), request, target)).kind, 'garbage')
    })
  })
}

describe('where the two differ', () => {
  const request = {
    audio: Buffer.from('RIFFsound'),
    format: 'wav',
    language: 'sw',
    responseFormat: 'verbose_json' as const,
    extra: { temperature: 0, timestamp_granularities: ['word'] },
  }

  it('openrouter takes audio as JSON', () => {
    const call = openrouter.transcription!.build(request, target)
    assert.deepEqual(bodyOf(call), {
      model: 'openai/gpt-4o-2024',
      input_audio: { data: 'UklGRnNvdW5k', format: 'wav' },
      language: 'sw',
      response_format: 'verbose_json',
      temperature: 0,
      timestamp_granularities: ['word'],
    })
  })

  it('openai takes a file in a form', async () => {
    const call = openai.transcription!.build(request, target)
    const form = await new Response(new Uint8Array(bytesOf(call)), {
      headers: call.headers!,
    }).formData()
    const file = form.get('file') as File
    assert.deepEqual([file.name, await file.text()], ['audio.wav', 'RIFFsound'])
    form.delete('file')
    assert.deepEqual(Object.fromEntries(form), {
      model: 'openai/gpt-4o-2024',
      response_format: 'verbose_json',
      language: 'sw',
      temperature: '0',
      'timestamp_granularities[]': 'word',
    })
  })

  it('images: /images has no response_format; OpenAI’s newest models refuse it', () => {
    const ask = { prompt: 'p', n: 1, extra: {} }
    assert.equal(openrouter.image!.build(ask, target).path, '/images')
    assert.equal(bodyOf(openrouter.image!.build(ask, target)).response_format, undefined)
    assert.equal(openai.image!.build(ask, target).path, '/images/generations')
    const format = (model: string) =>
      bodyOf(openai.image!.build(ask, { upstream: 'u', model })).response_format
    assert.deepEqual([format('dall-e-3'), format('gpt-image-1')], ['b64_json', undefined])
  })

  it('videos: start, status, content', () => {
    const { start, status, content } = openrouter.video!
    const call = start.build(
      {
        prompt: 'a door',
        extra: { duration: 5, seed: 7 },
        idempotencyKey: 'video-1',
      },
      target,
    )
    assert.deepEqual([call.path, call.repeatable], ['/videos', false])
    assert.equal(call.headers!['idempotency-key'], 'video-1')
    assert.deepEqual(bodyOf(call), {
      duration: 5,
      seed: 7,
      model: 'openai/gpt-4o-2024',
      prompt: 'a door',
    })
    const asked = { prompt: '', extra: {}, idempotencyKey: 'video-1' }
    const begun = { id: 'job-abc123', polling_url: '/x', status: 'pending', generation_id: 'gen-x' }
    assert.deepEqual(start.read(answer(begun), asked, target), { jobId: 'job-abc123' })
    for (const id of ['../key', '', 7, 'a/b', 'a?b']) {
      const read = () => start.read(answer({ id }), asked, target)
      assert.equal(errorOf(read).kind, 'garbage')
    }
    assert.equal(status.build({ jobId: 'job-1' }, target).path, '/videos/job-1')
    const range = content.build({ jobId: 'job-1', range: 'bytes=0-9' }, target)
    assert.deepEqual(
      [range.path, range.headers],
      ['/videos/job-1/content?index=0', { range: 'bytes=0-9' }],
    )
    const headers = {
      'content-type': 'video/mp4',
      'content-length': '10',
      'content-range': 'bytes 0-9/99',
    }
    assert.deepEqual(content.read({ status: 206, headers }, { jobId: 'job-1' }), {
      status: 206,
      contentLength: 10,
      contentRange: 'bytes 0-9/99',
      acceptRanges: undefined,
    })
  })

  it('a video is complete only with its content; an unknown status is not the end', () => {
    const read = (json: unknown) =>
      openrouter.video!.status.read(answer(json), { jobId: 'j' }, target)
    const done = read({
      status: 'completed',
      unsigned_urls: ['https://x'],
      usage: { cost: 0.25, is_byok: false },
    })
    assert.deepEqual(done, {
      status: 'completed',
      usage: { kind: 'reported', usage: { costUsd: '0.25' } },
      errorCode: undefined,
    })
    assert.equal(read({ status: 'completed', unsigned_urls: [] }).status, 'processing')
    assert.equal(read({ status: 'completed' }).status, 'processing')
    assert.equal(read({ status: 'pending' }).status, 'processing')
    assert.equal(read({ status: 'in_progress' }).status, 'processing')
    assert.equal(read({ status: 'dreaming' }).status, 'processing')
    const failed = read({ status: 'failed', error: 'Content policy violation by Acme' })
    assert.equal(failed.errorCode, 'content_policy_violation')
    assert.equal(read({ status: 'expired', error: 'x' }).errorCode, 'expired')
    assert.equal(read({ status: 'cancelled' }).errorCode, 'cancelled')
    const unusable = read({ status: 'completed', unsigned_urls: ['x'], usage: { cost: -1 } })
    assert.equal(unusable.usage.kind, 'unusable')
    assert.equal(errorOf(() => read({ status: 7 })).kind, 'garbage')
  })
})
