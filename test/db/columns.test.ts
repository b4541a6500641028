import assert from 'node:assert/strict'
import { test } from 'node:test'
import { as, bool, columns, count, int8, optional, orNull, text } from '../../src/db/columns.ts'

const described = columns({
  accountId: text,
  micro: int8,
  total: as('count(*)', count),
  note: optional(text),
  reason: orNull(text),
  late: as('late_at is not null', bool),
})
const row = { account_id: 'a', micro: 5n, total: 3n, note: null, reason: null, late: false }

test('a description is the list of a statement and reads its rows', () => {
  assert.equal(
    described.list,
    'account_id, micro, count(*) as total, note, reason, late_at is not null as late',
  )
  const read = { accountId: 'a', micro: 5n, total: 3, note: undefined, reason: null, late: false }
  assert.deepEqual(described.all([row]), [read])
  assert.deepEqual(described.first([]), undefined)
})

for (const [name, wrong] of [
  ['a value of another type', { micro: '5' }],
  ['a null that was not expected', { account_id: null }],
  ['a column that is not there', { note: undefined }],
] as const) {
  test(`${name} is an error that names the column`, () => {
    const [column] = Object.keys(wrong)
    assert.throws(() => described.from({ ...row, ...wrong }), new RegExp(`The column ${column} `))
  })
}
