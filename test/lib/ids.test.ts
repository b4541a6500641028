import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUuid, prefixedId, uuidv7 } from '../../src/lib/ids.ts'

test('a UUID v7 tells its time and its kind, and none comes twice', () => {
  const ids = Array.from({ length: 50_000 }, () => uuidv7(0x0190_1234_5678))
  for (const id of ids) assert.match(id, /^01901234-5678-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  assert.equal(new Set(ids).size, ids.length)
})

test('a UUID v7 is as random as it can be: every digit takes every value as often', () => {
  const ids = Array.from({ length: 16_000 }, () => uuidv7())
  // Places 15 to 17, 20 to 22 and 24 to 35 have sixteen values; place 19 has four.
  for (const at of [15, 16, 17, 19, 20, 21, 22, 24, 29, 35]) {
    const counts = new Map<string, number>()
    for (const id of ids) counts.set(id[at]!, (counts.get(id[at]!) ?? 0) + 1)
    const values = at === 19 ? 4 : 16
    assert.equal(counts.size, values)
    for (const count of counts.values()) {
      // Eight standard deviations: by chance alone this never happens.
      const most = 8 * Math.sqrt(ids.length / values)
      assert.ok(Math.abs(count - ids.length / values) < most, `place ${at}: ${count}`)
    }
  }
})

test('UUIDs v7 sort by the time they were made', () => {
  const ids = [1, 2, 1_700_000_000_000, 1_700_000_000_001, 2 ** 47].map((ms) => uuidv7(ms))
  assert.deepEqual([...ids].sort(), ids)
  assert.ok(ids.every(isUuid))
})

test('an id with a prefix has 24 characters after it', () => {
  assert.match(prefixedId('req_'), /^req_[0-9A-Za-z]{24}$/)
})
