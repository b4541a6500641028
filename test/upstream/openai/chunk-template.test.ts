import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Fields } from '../../../src/lib/json.ts'
import { OpenAiReader } from '../../../src/upstream/openai/stream.ts'

const request = {
  body: {},
  stream: true,
  ours: { id: 'chatcmpl-1', model: 'ours/model', created: 99 },
}

/** Reads every event with a reader that has seen nothing before: in full, without a template. */
function inFull(datas: string[]) {
  const readers = datas.map(() => new OpenAiReader(request))
  return {
    texts: datas.flatMap((data, i) => readers[i]!.read({ data })),
    bytes: readers.reduce((sum, reader) => sum + reader.outputBytes, 0),
    usage: readers.map((reader) => reader.usage).findLast((usage) => usage.kind !== 'absent'),
  }
}

function assertSame(datas: string[]): void {
  const reader = new OpenAiReader(request)
  const texts = datas.flatMap((data) => reader.read({ data }))
  const expected = inFull(datas)
  const parsed = (list: string[]) => list.map((text) => JSON.parse(text) as unknown)
  assert.deepEqual(parsed(texts), parsed(expected.texts))
  assert.equal(reader.outputBytes, expected.bytes)
  if (expected.usage !== undefined) assert.deepEqual(reader.usage, expected.usage)
}

function chunk(delta: Fields, more: Fields = {}, choice: Fields = {}) {
  return {
    id: 'gen-1',
    provider: 'Theirs',
    model: 'theirs/model',
    object: 'chat.completion.chunk',
    created: 1,
    choices: [{ index: 0, delta, finish_reason: null, native_finish_reason: null, ...choice }],
    ...more,
  }
}

test('any text, escaped in any way, comes out as if every chunk were read in full', () => {
  const written = fc.constantFrom(
    (value: unknown) => JSON.stringify(value),
    (value: unknown) => JSON.stringify(value).replaceAll('"content":', '"content": '),
    (value: unknown) =>
      JSON.stringify(value).replace(
        /[^\x20-\x7e]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
  )
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.constantFrom('"', '\\', ''))
  const delta = fc.oneof(
    { weight: 8, arbitrary: text.map((content) => ({ content })) },
    text.map((content) => ({ role: 'assistant', content })),
    text.map((reasoning) => ({ content: 'x', reasoning })),
    text.map((name) => ({ tool_calls: [{ index: 0, function: { arguments: name } }] })),
  )
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
  const more = fc.oneof(
    { weight: 6, arbitrary: fc.constant({}) },
    fc.constantFrom<Fields>({ usage: null }, { usage }, { x: '"content":"x"' }, { provider: 'B' }),
  )
  const event = fc.tuple(delta, more, written).map(([d, m, write]) => write(chunk(d, m)))
  fc.assert(fc.property(fc.array(event, { maxLength: 30 }), assertSame), { numRuns: 300 })
})

test('what only looks like more text is not taken for it', () => {
  const plain = JSON.stringify(chunk({ content: 'Ha' }))
  const [before, after] = plain.split('Ha') as [string, string]
  const tricks = ['","tool_calls":[],"refusal":"', '\\', 'a\\"b', 'a"b', 'a\nb', '\\u12', '"']
  for (const trick of tricks) {
    const data = before + trick + after
    let valid = true
    try {
      JSON.parse(data)
    } catch {
      valid = false
    }
    if (valid) assertSame([plain, plain, data])
    else {
      const reader = new OpenAiReader(request)
      reader.read({ data: plain })
      assert.throws(() => reader.read({ data }), { name: 'UpstreamError' })
    }
  }
})

test('the end, the usage and an error are read even when a template is there', () => {
  const reader = new OpenAiReader(request)
  for (const content of ['a', 'b', 'c']) {
    reader.read({ data: JSON.stringify(chunk({ content })) })
  }
  reader.read({ data: JSON.stringify(chunk({ content: '' }, {}, { finish_reason: 'stop' })) })
  assert.equal(reader.finishReason, 'stop')
  assert.equal(reader.outputBytes, 3)
  assert.throws(
    () => reader.read({ data: JSON.stringify(chunk({ content: 'd' }, { error: { code: 502 } })) }),
    { name: 'UpstreamError' },
  )
})
