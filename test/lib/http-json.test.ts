import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCappedJson } from '../../src/lib/http-json.ts'

async function* body(...chunks: string[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

test('reads JSON that arrives in pieces, also when a piece ends inside a character', async () => {
  const [first, second] = [Buffer.from('{"a":"é"}').subarray(0, 7), Buffer.from('{"a":"é"}')]
  async function* split() {
    yield first
    yield second.subarray(7)
  }
  assert.deepEqual(await readCappedJson(split(), 100), { a: 'é' })
})

test('a body that is not JSON is undefined, not an error', async () => {
  assert.equal(await readCappedJson(body('<html>'), 100), undefined)
  assert.equal(await readCappedJson(body(), 100), undefined)
})

test('a body over the limit is an error with a code, and the rest is not read', async () => {
  let closed = false
  async function* endless() {
    try {
      for (;;) yield Buffer.alloc(10)
    } finally {
      closed = true
    }
  }
  await assert.rejects(readCappedJson(endless(), 25), { code: 'answer_too_large' })
  assert.equal(closed, true)
  assert.equal(await readCappedJson(body('12345'), 5), 12345)
})
