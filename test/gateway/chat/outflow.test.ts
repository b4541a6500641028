import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { chatStreamForm } from '../../../src/gateway/chat/form.ts'
import { ChatOutflow } from '../../../src/gateway/chat/outflow.ts'
import type { Sink } from '../../../src/lib/answer.ts'
import { ABSENT } from '../../../src/upstream/contract/usage.ts'
import type { ChatStream } from '../../../src/upstream/work.ts'

type Given = readonly string[] | 'break' | 'finish'

/** Gives its batches one at a time, and those of `give` as they come; `ends` shows who was told. */
function outflowOf(batches: Given[], settling: Promise<void> = Promise.resolve(), stays = false) {
  const seen = { ends: [] as string[], takes: 0, cancelled: 0 }
  const rests = { count: 0 }
  const last: string[] = []
  let wake = () => {}
  let over = false
  const flow: ChatStream = {
    get ready() {
      return over || batches.length > 0
    },
    more: () => new Promise((done) => (wake = done)),
    take() {
      seen.takes += 1
      const batch = batches.shift()
      if (batch === 'break') throw new Error('broken')
      if (batch !== 'finish') return batch
      last.push('finish')
      return []
    },
    rest: () => void (rests.count += 1),
    cancel() {
      seen.cancelled += 1
      over = true
      wake()
    },
    usage: ABSENT,
    finishReason: null,
    generationId: undefined,
    outputBytes: 0,
    pictures: 0,
    last,
    get finished() {
      return last.length > 0
    },
  }
  const give = (batch: Given | 'end') => {
    if (batch === 'end') over = true
    else batches.push(batch)
    wake()
  }
  const form = chatStreamForm({ id: 'c', model: 'm', created: 0 }, { included: false, cost: false })
  const stream = new ChatOutflow(flow, form, {
    async finished() {
      seen.ends.push('finished')
      await settling
      return form.end(last, {}) + form.charged!({}, 0n)
    },
    async broke() {
      seen.ends.push('broke')
      return 'data: error\n\n'
    },
    left: async () => void seen.ends.push('left'),
    mayLeave: async () => !stays,
  })
  return { seen, rests, stream, give }
}

/** A reader that keeps what it is given; `full` makes it say that it has no room for more. */
function reader(full = false) {
  const ended = Promise.withResolvers<string>()
  const drained = Promise.withResolvers<void>()
  const seen = { text: '' }
  const sink: Sink = {
    write(text) {
      seen.text += text
      return !full
    },
    room: () => drained.promise,
    end(text) {
      seen.text += text
      ended.resolve(seen.text)
    },
  }
  return { seen, sink, ended: ended.promise, drain: drained.resolve }
}

function textOf(stream: ChatOutflow): Promise<string> {
  const { sink, ended } = reader()
  stream.flow(sink)
  return ended
}

test('chunks are framed as they come, empty batches are passed over, the end comes last', async () => {
  const { seen, stream, give } = outflowOf([['a', 'b'], []])
  const text = textOf(stream)
  await turn()
  give([])
  await turn()
  give(['c'])
  await turn()
  give('end')
  const body = 'data: a\n\ndata: b\n\ndata: c\n\ndata: [DONE]\n\n'
  assert.equal(await text, body)
  assert.deepEqual(seen.ends, ['finished'])
})

test('nothing of the end is sent before it is settled', async () => {
  const settling = Promise.withResolvers<void>()
  const { stream, give } = outflowOf([['a'], 'finish', ['b']], settling.promise)
  const { seen, sink, ended } = reader()
  stream.flow(sink)
  await turn()
  give('end')
  await turn()
  assert.equal(seen.text, 'data: a\n\ndata: b\n\n')
  settling.resolve()
  const end = 'data: finish\n\ndata: [DONE]\n\n'
  assert.equal(await ended, `data: a\n\ndata: b\n\n${end}`)
})

test('a failure is reported in the stream, which then has no [DONE]', async () => {
  const { seen, stream } = outflowOf([['a'], 'break'])
  assert.equal(await textOf(stream), 'data: a\n\ndata: error\n\n')
  assert.deepEqual(seen.ends, ['broke'])
})

test('a settlement that fails is reported as a failure of the stream', async () => {
  const settling = Promise.reject(new Error('no database'))
  const { seen, stream, give } = outflowOf([['a'], 'finish'], settling)
  give('end')
  assert.equal(await textOf(stream), 'data: a\n\ndata: error\n\n')
  assert.deepEqual(seen.ends, ['finished', 'broke'])
})

test('a reader who leaves is reported once: before the flow, while it waits, and while the buffer is full', async () => {
  const early = outflowOf([])
  await early.stream.left()
  assert.deepEqual(early.seen, { ends: ['left'], takes: 0, cancelled: 1 })

  const waiting = outflowOf([])
  waiting.stream.flow(reader().sink)
  await turn()
  await Promise.all([waiting.stream.left(), waiting.stream.left()])
  await turn()
  assert.deepEqual(waiting.seen, { ends: ['left'], takes: 0, cancelled: 1 })

  const full = outflowOf([['a'], ['b']])
  const { sink, drain } = reader(true)
  full.stream.flow(sink)
  await turn()
  await full.stream.left()
  drain()
  await turn()
  assert.deepEqual(full.seen, { ends: ['left'], takes: 2, cancelled: 1 })
})

test('a reader who leaves an upstream that has finished, in what was not taken yet, pays', async () => {
  const { seen, stream, give } = outflowOf([['a'], ['b'], 'finish'])
  const { sink, drain } = reader(true)
  stream.flow(sink)
  await turn()
  const left = stream.left()
  drain()
  await turn()
  assert.deepEqual(seen, { ends: [], takes: 3, cancelled: 0 })
  give('end')
  await left
  assert.deepEqual(seen.ends, ['finished'])

  const unread = outflowOf([['a'], 'finish'])
  const done = unread.stream.left()
  unread.give('end')
  await done
  assert.deepEqual(unread.seen.ends, ['finished'])
})

test('where nobody may leave unpaid the stream goes on; if it breaks then, the reader had left', async () => {
  for (const [last, end] of [
    ['end', 'finished'],
    ['break', 'left'],
  ] as const) {
    const { seen, stream, give } = outflowOf([['a']], undefined, true)
    stream.flow(reader().sink)
    await turn()
    const left = stream.left()
    give(['b'])
    await turn()
    assert.deepEqual(seen.ends, [])
    give(last)
    await left
    assert.deepEqual(seen.ends, [end])
  }
})

test('what has arrived is looked through only so far', async () => {
  const { seen, stream } = outflowOf(Array.from({ length: 1_000 }, () => ['x']))
  await stream.left()
  assert.deepEqual(seen, { ends: ['left'], takes: 16, cancelled: 1 })
})

test('a reader who leaves while the end is being settled has had the answer: nothing is refunded', async () => {
  const settling = Promise.withResolvers<void>()
  const { seen, stream, give } = outflowOf([['a']], settling.promise)
  const { sink, ended } = reader()
  stream.flow(sink)
  give('end')
  await turn()
  void stream.left()
  settling.resolve()
  await ended
  assert.deepEqual(seen.ends, ['finished'])
})

test("nothing is taken from the upstream while the reader's buffer is full", async () => {
  const { seen, rests, stream } = outflowOf(Array.from({ length: 100 }, () => ['x'.repeat(8_192)]))
  const { sink, drain, ended } = reader(true)
  stream.flow(sink)
  await turn()
  assert.equal(seen.takes, 1)
  assert.equal(rests.count, 1, 'and its clocks stand still')
  drain()
  await turn()
  assert.ok(seen.takes > 1)
  void stream.left()
  void ended
})

test('every 15 seconds a comment is sent, unless the reader is behind', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const quiet = outflowOf([])
  const patient = reader()
  quiet.stream.flow(patient.sink)
  t.mock.timers.tick(14_999)
  assert.equal(patient.seen.text, '')
  t.mock.timers.tick(1)
  assert.equal(patient.seen.text, ': keep-alive\n\n')
  // What came meanwhile puts none off: the silence after it may be longer.
  quiet.give(['a'])
  await turn()
  t.mock.timers.tick(15_000)
  assert.equal(patient.seen.text, ': keep-alive\n\ndata: a\n\n: keep-alive\n\n')
  void quiet.stream.left()

  const loud = outflowOf([['a']])
  const deaf = reader(true)
  loud.stream.flow(deaf.sink)
  t.mock.timers.tick(60_000)
  assert.equal(deaf.seen.text, 'data: a\n\n')
  void loud.stream.left()
})
