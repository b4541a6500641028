import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { UpstreamError } from '../../../src/upstream/contract/upstream-error.ts'
import { Events } from '../../../src/upstream/wire/events.ts'
import type { Source } from '../../../src/upstream/wire/source.ts'
import { itemsOf } from '../sources.ts'

function sourceOf(parts: readonly Buffer[]): Source<Buffer> & { cancelled: boolean } {
  const rest = [...parts]
  return {
    cancelled: false,
    ready: true,
    more: async () => {},
    take: () => rest.shift(),
    rest: () => {},
    cancel() {
      this.cancelled = true
    },
  }
}

async function eventsOf(parts: readonly Buffer[], cap?: number) {
  const events: { event: string | undefined; data: string }[] = []
  for await (const batch of itemsOf(new Events(sourceOf(parts), cap))) {
    for (const { event, data } of batch) events.push({ event, data })
  }
  return events
}

const STREAM = Buffer.from(
  ': OPENROUTER PROCESSING\n\ndata: {"a":"jamb\u00f4 \u{1F30D}"}\n\nevent: x\r\ndata: 1\r\ndata: 2\r\n\r\n' +
    ': ping\r\n\r\ndata:no space\n\nid: 7\ndata: \u05e9\u05dc\u05d5\u05dd\n\ndata: [DONE]\n\n',
)
const EXPECTED = [
  { event: undefined, data: '{"a":"jamb\u00f4 \u{1F30D}"}' },
  { event: 'x', data: '1\n2' },
  { event: undefined, data: 'no space' },
  { event: undefined, data: '\u05e9\u05dc\u05d5\u05dd' },
  { event: undefined, data: '[DONE]' },
]

describe('server-sent events', () => {
  it('gives the same events when split at every byte', async () => {
    for (let at = 0; at <= STREAM.length; at += 1) {
      const parts = [STREAM.subarray(0, at), STREAM.subarray(at)].filter((part) => part.length > 0)
      assert.deepEqual(await eventsOf(parts), EXPECTED, `split at ${at}`)
    }
    assert.deepEqual(await eventsOf([...STREAM].map((byte) => Buffer.from([byte]))), EXPECTED)
  })

  it('gives the same events for any chunking', async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: STREAM.length - 1 }), { maxLength: 20 })
    await fc.assert(
      fc.asyncProperty(cuts, async (points) => {
        const sorted = [0, ...points.toSorted((a, b) => a - b), STREAM.length]
        const parts = sorted
          .slice(1)
          .map((end, index) => STREAM.subarray(sorted[index], end))
          .filter((part) => part.length > 0)
        assert.deepEqual(await eventsOf(parts), EXPECTED)
      }),
    )
  })

  it('any text that was written comes back, whatever is in it', async () => {
    const text = fc.string({ unit: 'binary' }).map((value) => JSON.stringify(value))
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1 }), async (texts) => {
        const stream = Buffer.from(texts.map((value) => `data: ${value}\n\n`).join(''))
        const half = stream.length >> 1
        const events = await eventsOf([stream.subarray(0, half), stream.subarray(half)])
        assert.deepEqual(
          events.map(({ data }) => data),
          texts.map((value) => Buffer.from(value).toString()),
        )
      }),
    )
  })

  it('a last event without its blank line still counts', async () => {
    assert.deepEqual(await eventsOf([Buffer.from('data: a\n\ndata: [DONE]')]), [
      { event: undefined, data: 'a' },
      { event: undefined, data: '[DONE]' },
    ])
  })

  it('refuses a line and an event over the cap, and closes the connection', async () => {
    const line = sourceOf(Array.from({ length: 40 }, () => Buffer.from('data: '.padEnd(100, 'x'))))
    const event = sourceOf(
      Array.from({ length: 40 }, () => Buffer.from('data: xxxxxxxxxxxxxxxx\n')),
    )
    for (const source of [line, event]) {
      await assert.rejects(
        async () => {
          for await (const _ of itemsOf(new Events(source, 500)));
        },
        (error) => error instanceof UpstreamError && error.kind === 'too_large',
      )
      assert.equal(source.cancelled, true)
    }
  })

  it('endless comments cost no memory and give nothing', async () => {
    const comments = Array.from({ length: 2000 }, () => Buffer.from(`: ${'x'.repeat(1000)}`))
    assert.deepEqual(await eventsOf([...comments, Buffer.from('\n\ndata: a\n\n')], 500), [
      { event: undefined, data: 'a' },
    ])
  })

  it('reads a failure that comes as a bare line or as a field', async () => {
    assert.deepEqual(await eventsOf([Buffer.from('{"error":{"code":429}}\n\n')]), [
      { event: 'bare', data: '{"error":{"code":429}}' },
    ])
    assert.deepEqual(await eventsOf([Buffer.from('error: {"code":500}\n\n')]), [
      { event: 'error', data: '{"code":500}' },
    ])
  })
})
