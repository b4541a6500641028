import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ByteOutflow } from '../../../src/gateway/videos/byte-outflow.ts'
import { route } from '../../../src/http/route.ts'
import type { Source } from '../../../src/upstream/wire/source.ts'
import { startServer } from '../../support/server.ts'

const PIECE = Buffer.alloc(64 * 1024, 1)

/** Gives pieces as long as it is asked, up to `most`; then ends or breaks. */
function outflowOf(most: number, end: 'done' | 'break' = 'done') {
  const seen = { pulls: 0, cancelled: 0, ended: 0 }
  const rests = { count: 0 }
  const source: Source<Buffer> = {
    ready: false,
    more: async () => {},
    take() {
      seen.pulls++
      if (seen.pulls <= most) return PIECE
      if (end === 'break') throw new Error('broken')
      return undefined
    },
    rest: () => void rests.count++,
    cancel: () => void seen.cancelled++,
  }
  const stream = new ByteOutflow(Buffer.from('first'), source, () => void seen.ended++)
  return { seen, rests, stream }
}

test('everything arrives, in order, and the end is reported once', async () => {
  const { seen, stream } = outflowOf(20)
  let bytes = 0
  for await (const piece of stream) bytes += (piece as Buffer).length
  assert.equal(bytes, 5 + 20 * PIECE.length)
  assert.equal(seen.ended, 1)
})

test('nothing is pulled ahead of a reader that does not read', async () => {
  const { seen, rests, stream } = outflowOf(1_000_000)
  stream.read(1)
  await sleep(30)
  assert.ok(seen.pulls <= 3, `${seen.pulls} pulls`)
  assert.equal(rests.count, 1, 'meanwhile the clocks of the upstream stand still')
  stream.destroy()
  await once(stream, 'close')
  assert.deepEqual([seen.cancelled, seen.ended], [1, 1])
})

test('a reader that leaves before the first byte cancels the upstream', async () => {
  const { seen, stream } = outflowOf(5)
  stream.destroy()
  await once(stream, 'close')
  assert.deepEqual(seen, { pulls: 0, cancelled: 1, ended: 1 })
})

test('an upstream that breaks breaks the stream: there is no false end', async () => {
  const { seen, stream } = outflowOf(3, 'break')
  await assert.rejects(async () => {
    for await (const _piece of stream);
  }, /broken/)
  assert.equal(seen.ended, 1)
})

test('over the wire the connection is cut, with a length and without', async () => {
  const film = (path: string, headers: Record<string, string>) =>
    route({
      method: 'GET',
      path,
      summary: 'A film',
      tag: 'Video',
      credential: 'none',
      dialect: 'both',
      limit: 'none',
      handle: async () => ({ status: 200, headers, body: outflowOf(3, 'break').stream }),
    })
  const service = await startServer({
    routes: [film('/chunked', {}), film('/told', { 'content-length': '1000000' })],
  })
  try {
    for (const path of ['/chunked', '/told']) {
      const answer = await fetch(service.url + path)
      assert.equal(answer.status, 200)
      await assert.rejects(answer.arrayBuffer(), path)
    }
  } finally {
    await service.close()
  }
})
