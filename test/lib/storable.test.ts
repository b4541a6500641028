import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isStorable, storable, unstorableField } from '../../src/lib/storable.ts'

test('text with NUL or half of a pair cannot be kept', () => {
  for (const text of ['\0', 'a\0b', '\ud800', 'a\udc00']) assert.equal(isStorable(text), false)
  for (const text of ['', 'Habari', '\ud83d\ude00', '\u0001']) assert.equal(isStorable(text), true)
})

test('foreign lists are cleaned of it', () => {
  assert.deepEqual(storable([{ name: 'a\0b', of: ['\ud800'], n: 1 }]), [
    { name: 'ab', of: ['\ufffd'], n: 1 },
  ])
})

test('the field is named', () => {
  assert.equal(unstorableField({ a: [{ b: 'x' }, { b: '\0' }] }), 'a[1].b')
  assert.equal(unstorableField({ a: { '\0': 'x' } }), 'a')
  assert.equal(unstorableField('\0'), '')
  assert.equal(unstorableField({ a: 1, b: null, c: 'x' }), undefined)
})
