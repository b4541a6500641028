import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { retryAfterSeconds } from '../../../src/upstream/contract/error-status.ts'

describe('Retry-After', () => {
  it('is between one second and an hour, or not there', () => {
    const now = Date.parse('2026-01-01T00:00:00Z')
    const cases: [unknown, number | undefined][] = [
      ['7', 7],
      ['0', 1],
      ['1.2', 2],
      ['23s', 23],
      [12, 12],
      ['-1', undefined],
      ['9999999999', 3600],
      ['99999999999999999999999999', undefined],
      ['Thu, 01 Jan 2026 00:00:30 GMT', 30],
      ['Wed, 31 Dec 2025 00:00:00 GMT', 1],
      ['soon', undefined],
      ['', undefined],
      [undefined, undefined],
      [Number.NaN, undefined],
    ]
    for (const [value, seconds] of cases) {
      assert.equal(retryAfterSeconds(value, now), seconds, String(value))
    }
  })
})
