import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openChatStream } from '../../src/upstream/chat-stream.ts'
import type { SseEvent } from '../../src/upstream/contract/contract.ts'
import { UpstreamError, StatusError } from '../../src/upstream/contract/upstream-error.ts'
import { OpenAiReader } from '../../src/upstream/openai/stream.ts'
import type { Source } from '../../src/upstream/wire/source.ts'
import { itemsOf } from './sources.ts'

const REQUEST = { body: {}, stream: true, ours: { id: 'ours', model: 'm', created: 1 } }

type Choice = { content?: string; finish?: string | null; index?: number }
const event = (...choices: Choice[]): SseEvent => ({
  data: JSON.stringify({
    choices: choices.map(({ content, finish = null, index = 0 }) => ({
      index,
      delta: content === undefined ? {} : { content },
      finish_reason: finish,
    })),
  }),
})
const DONE: SseEvent = { data: '[DONE]' }

/** Events as they would come off the wire; at an error it breaks. */
function source(events: (SseEvent | Error)[]): Source<readonly SseEvent[]> {
  return {
    ready: true,
    more: async () => {},
    take() {
      const next = events.shift()
      if (next instanceof Error) throw next
      return next && [next]
    },
    rest: () => {},
    cancel: () => void (events.length = 0),
  }
}

const open = (events: (SseEvent | Error)[], choices = 1) =>
  openChatStream({
    events: source(events),
    reader: new OpenAiReader(REQUEST),
    choices,
    ours: REQUEST.ours,
    id: undefined,
    refusal: (error) => error,
    streamFailure: (error) => error,
  })

type Chunk = { choices: { index: number; delta: { content?: string }; finish_reason: unknown }[] }
const shown = (texts: readonly string[]) =>
  texts.map((text) =>
    (JSON.parse(text) as Chunk).choices
      .map((one) => `${one.index}${one.delta.content ?? ''}${one.finish_reason ? '!' : ''}`)
      .join('+'),
  )
/** What a reader is given at once, and what is held back until the answer is paid for. */
async function read(events: (SseEvent | Error)[], choices = 1) {
  const stream = await open(events, choices)
  const given: string[] = []
  for await (const batch of itemsOf(stream)) given.push(...batch)
  return { given: shown(given), last: shown(stream.last), finished: stream.finished }
}

describe('what tells the end of an answer', () => {
  it('is held back with the text that comes with it', async () => {
    assert.deepEqual(
      await read([event({ content: 'a' }), event({ content: 'b', finish: 'stop' }), DONE]),
      { given: ['0a'], last: ['0b!'], finished: true },
    )
    assert.deepEqual(await read([event({ content: 'all', finish: 'stop' }), DONE]), {
      given: [],
      last: ['0all!'],
      finished: true,
    })
  })

  it('is held back each time, and text behind it is not', async () => {
    const again = [event({ finish: 'stop' }), event({ content: 'b' }), event({ finish: 'stop' })]
    assert.deepEqual(await read([event({ content: 'a' }), ...again, DONE]), {
      given: ['0a', '0b'],
      last: ['0!', '0!'],
      finished: true,
    })
  })

  it('of one choice is not the end of the others', async () => {
    const events = [
      event({ content: 'a' }),
      event({ content: 'b', index: 1 }),
      event({ finish: 'stop' }),
      event({ content: 'c', index: 1 }),
    ]
    const stream = await open(events, 2)
    const given = [...stream.take()!, ...stream.take()!, ...stream.take()!, ...stream.take()!]
    assert.deepEqual(shown(given), ['0a', '1b', '1c'])
    assert.equal(stream.finished, false)
    events.push(event({ finish: 'length', index: 1 }))
    assert.deepEqual(stream.take(), [])
    assert.equal(stream.finished, true)
    assert.deepEqual(shown(stream.last), ['0!', '1!'])
  })

  it('may be missing, or written and empty on every chunk', async () => {
    for (const finish of [null, '']) {
      const text = [event({ content: 'a', finish }), event({ content: 'b', finish })]
      assert.deepEqual(await read([...text, DONE]), {
        given: ['0a', '0b'],
        last: [],
        finished: true,
      })
      await assert.rejects(read(text), { name: 'UpstreamError', kind: 'reset' })
    }
  })

  it('makes an answer complete, whatever becomes of the connection behind it', async () => {
    const answer = () => [event({ content: 'a' }), event({ finish: 'stop' })]
    const complete = { given: ['0a'], last: ['0!'], finished: true }
    for (const error of [new UpstreamError('reset', 'x'), new UpstreamError('timeout', 'idle')]) {
      assert.deepEqual(await read([...answer(), error]), complete)
      await assert.rejects(read([...answer(), error], 2), { name: 'UpstreamError' })
    }
    assert.deepEqual(await read([...answer(), { data: '{"usa' }]), complete)
    await assert.rejects(read([...answer(), new StatusError(500)]), { name: 'UpstreamError' })
    await assert.rejects(read([...answer(), { data: '{"error":{"code":500}}' }]), {
      name: 'UpstreamError',
    })
  })

  it('on every chunk does not fill the memory', async () => {
    const large = event({ content: 'x'.repeat(1_000_000), finish: 'stop' })
    const stream = read([event({ content: 'a' }), ...Array.from({ length: 40 }, () => large)])
    await assert.rejects(stream, { name: 'UpstreamError', kind: 'too_large' })
  })
})
