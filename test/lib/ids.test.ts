import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUuid, prefixedId, uuidsBefore, uuidv7 } from '../../src/lib/ids.ts'

test('a UUID v7 tells its time and its kind, and none comes twice', () => {
  const ids = Array.from({ length: 50_000 }, () => uuidv7(0x0190_1234_5678))
  for (const id of ids) assert.match(id, /^01901234-5678-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  assert.equal(new Set(ids).size, ids.length)
})

test('UUIDs v7 sort by the time they were made', () => {
  const ids = [1, 2, 1_700_000_000_000, 1_700_000_000_001, 2 ** 47].map((ms) => uuidv7(ms))
  assert.deepEqual([...ids].sort(), ids)
  assert.ok(ids.every(isUuid))
})

test('ids before a known one sort before it, in their order', () => {
  const last = uuidv7()
  const ids = [...uuidsBefore(last, 50), last]
  assert.deepEqual([...ids].sort(), ids)
  assert.equal(new Set(ids).size, 51)
  assert.deepEqual(uuidsBefore(last, 0), [])
})

test('an id with a prefix has 24 characters after it', () => {
  assert.match(prefixedId('req_'), /^req_[0-9A-Za-z]{24}$/)
})
