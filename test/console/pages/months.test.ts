import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monthOf, monthsSince } from '../../../console/src/pages/app/billing/months.ts'

test('a month begins and ends at midnight in Dar es Salaam', () => {
  assert.deepEqual(monthOf('2026-12'), {
    id: '2026-12',
    from: '2026-12-01T00:00:00+03:00',
    to: '2027-01-01T00:00:00+03:00',
  })
})

test('from this month back to the one in which the account was made', () => {
  // 22:30 in UTC is already the next day in Tanzania.
  const months = monthsSince('2026-10-31T22:30:00Z', new Date('2027-01-31T21:30:00Z'))
  assert.deepEqual(
    months.map(({ id }) => id),
    ['2027-02', '2027-01', '2026-12', '2026-11'],
  )
})

test('never more than two years', () => {
  const months = monthsSince('2019-01-01T00:00:00Z', new Date('2026-06-15T00:00:00Z'))
  assert.equal(months.length, 24)
  assert.equal(months.at(-1)!.id, '2024-07')
})
