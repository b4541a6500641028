import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scanJson } from '../../src/lib/json-scan.ts'
import { parseRequestJson } from '../../src/lib/json.ts'
import { growth, IN_PROPORTION } from '../support/growth.ts'

const parse = (text: string) => parseRequestJson(Buffer.from(text), { stored: false })
const padding = ' '.repeat(70_000)

test('different names have a limit, repeated ones have not', () => {
  const names = (count: number) =>
    `{"x":[[${Array.from({ length: count }, (_, i) => `{"k${i}":1}`).join(',')}]]${padding}}`
  assert.throws(() => parse(names(40_000)), /more than 20000 different names/)
  assert.ok(parse(names(15_000)))
  const same = '{"role":"user","content":"a"},'.repeat(60_000)
  assert.ok(parse(`[${same}1]`))
})

test('a list in a body has so many objects, whatever else it has', () => {
  const listed = (field: string, count: number, one = '{"a":[{}]}') =>
    `{"model":"a","${field}":[${`${one},`.repeat(count)}1],"other":[{}]${padding}}`
  assert.ok(parse(listed('messages', 10_000)))
  assert.throws(() => parse(listed('messages', 10_001)), {
    param: 'messages',
    message: 'messages must have at most 10000 items.',
  })
  assert.throws(() => parse(listed('a"b'.replace('"', '\\"'), 10_001)), /10000 objects in a list/)
  assert.ok(parse(listed('input', 50_000, '7')))
})

test('names that differ only in the middle are told apart, or are too long to be many', () => {
  const name = (i: number) => `"${'a'.repeat(300)}${i}${'b'.repeat(300)}":1`
  const body = `{${Array.from({ length: 40_000 }, (_, i) => name(i)).join(',')}}`
  assert.throws(() => scanJson(Buffer.from(body)), /different names/)
})

test('a number has a limit, wherever it stands', () => {
  const long = '1'.repeat(65)
  for (const text of [`[${long}]`, `{"a":-0.${long}}`, `{"a":[1,${long}e5]}`]) {
    assert.throws(() => parse(text + padding), /more than 64 digits/)
  }
  assert.deepEqual(parse(`[-1.234567890123456e-300,"${long}"]${padding}`), [
    -1.234567890123456e-300,
    long,
  ])
})

test('the longest string is found, whatever is escaped and wherever it ends', () => {
  for (let length = 0; length < 200; length++) {
    for (const piece of ['a', '\\"', '\\\\', 'é', 'aaaaaaa\\"']) {
      const inside = piece.repeat(length)
      const text = `{"k":"${inside}","b":"${'c'.repeat(20)}"}`
      const { start, end } = scanJson(Buffer.from(text)).longest
      const bytes = Buffer.from(text).subarray(start, end).toString()
      assert.equal(bytes, Buffer.byteLength(inside) >= 20 ? inside : 'c'.repeat(20))
    }
  }
  const { longest } = scanJson(Buffer.from(`["${'a'.repeat(100)}\\`))
  assert.deepEqual(longest, { start: 2, end: 103 })
})

test('a string full of escapes is gone through once', () => {
  const times = growth((length) => scanJson(Buffer.from(`["${'\\u0041'.repeat(length)}"]`)), 50_000)
  assert.ok(times < IN_PROPORTION, String(times))
})

test('a control character is found at every place of a long string', () => {
  const long = Buffer.alloc(1024 * 1024 + 16, 'a')
  for (const at of [0, 1, 2, 3, 4, 5, 6, 7, 500, long.length - 5, long.length - 2]) {
    for (const control of [0, 10, 31]) {
      const changed = Buffer.from(long)
      changed[at] = control
      const text = Buffer.concat([Buffer.from('{"a":"'), changed, Buffer.from('"}')])
      assert.throws(() => parseRequestJson(text, { stored: false }), /not valid JSON/)
    }
  }
})
