import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { ChatOutflow } from '../../src/gateway/chat-outflow.ts'
import { ABSENT } from '../../src/upstream/usage.ts'
import type { ChatStream } from '../../src/upstream/work.ts'

type Given = readonly string[] | 'break'

/** Gives its batches one at a time, and those of `give` as they come; `ends` shows who was told. */
function outflowOf(batches: Given[], settling: Promise<void> = Promise.resolve()) {
  const seen = { ends: [] as string[], takes: 0, cancelled: 0 }
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
      return batch
    },
    cancel() {
      seen.cancelled += 1
      over = true
      wake()
    },
    usage: ABSENT,
    finishReason: null,
    generationId: undefined,
    outputBytes: 0,
  }
  const give = (batch: Given | 'end') => {
    if (batch === 'end') over = true
    else batches.push(batch)
    wake()
  }
  const stream = new ChatOutflow(flow, {
    async finished() {
      seen.ends.push('finished')
      await settling
      return 'data: usage\n\n'
    },
    async broke() {
      seen.ends.push('broke')
      return 'data: error\n\n'
    },
    left: () => void seen.ends.push('left'),
  })
  return { seen, stream, give }
}

async function textOf(stream: ChatOutflow): Promise<string> {
  let text = ''
  for await (const piece of stream) text += String(piece)
  return text
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
  const body = 'data: a\n\ndata: b\n\ndata: c\n\ndata: usage\n\ndata: [DONE]\n\n'
  assert.equal(await text, body)
  assert.deepEqual(seen.ends, ['finished'])
})

test('nothing of the end is sent before it is settled', async () => {
  const settling = Promise.withResolvers<void>()
  const { stream, give } = outflowOf([['a']], settling.promise)
  let text = ''
  stream.on('data', (piece) => (text += String(piece)))
  await turn()
  give('end')
  await turn()
  assert.equal(text, 'data: a\n\n')
  settling.resolve()
  await once(stream, 'end')
  assert.match(text, /DONE/)
})

test('a break is told in the stream, which then has no end word', async () => {
  const { seen, stream } = outflowOf([['a'], 'break'])
  assert.equal(await textOf(stream), 'data: a\n\ndata: error\n\n')
  assert.deepEqual(seen.ends, ['broke'])
})

test('a settlement that fails is told as a break', async () => {
  const { seen, stream, give } = outflowOf([['a']], Promise.reject(new Error('no database')))
  give('end')
  assert.equal(await textOf(stream), 'data: a\n\ndata: error\n\n')
  assert.deepEqual(seen.ends, ['finished', 'broke'])
})

test('a reader who leaves is one end, before the first pull and while it waits', async () => {
  for (const pulls of [false, true]) {
    const { seen, stream } = outflowOf([])
    if (pulls) stream.read(0)
    stream.destroy()
    await once(stream, 'close')
    await turn()
    assert.deepEqual(seen, { ends: ['left'], takes: 0, cancelled: 1 })
  }
})

test('nothing is pulled ahead of a reader that does not read', async () => {
  const { seen, stream } = outflowOf(Array.from({ length: 100 }, () => ['x'.repeat(8_192)]))
  stream.read(1)
  await turn()
  assert.ok(seen.takes <= 3, `${seen.takes} takes`)
  stream.destroy()
})

test('the last event and the end of the body leave in one write', async (t) => {
  const { stream, give } = outflowOf([['a']])
  const server = createServer((_request, reply) => void stream.pipe(reply))
  t.after(() => server.close().closeAllConnections())
  let writes = 0
  server.on('connection', (socket) => {
    const { _write: one, _writev: many } = socket
    socket._write = (...args) => {
      writes += 1
      one.apply(socket, args)
    }
    socket._writev = (...args) => {
      writes += 1
      many!.apply(socket, args)
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const asked = request({ port: (server.address() as AddressInfo).port }).end()
  const [answer] = await once(asked, 'response')
  let text = ''
  answer.on('data', (piece: Buffer) => (text += String(piece)))
  await once(answer, 'data')
  writes = 0
  give('end')
  await once(answer, 'end')
  assert.match(text, /DONE/)
  assert.equal(writes, 1)
})
