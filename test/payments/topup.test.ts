import assert from 'node:assert/strict'
import { test } from 'node:test'
import { creditsFor, newReference } from '../../src/payments/topup.ts'

test('credits follow from the amount and the rate, exactly', () => {
  assert.equal(creditsFor(5000, '1'), 5_000_000_000n)
  assert.equal(creditsFor(1, '0.1'), 100_000n)
  assert.equal(creditsFor(3, '0.1'), 300_000n)
  assert.equal(creditsFor(3_000_000, '1.234567'), 3_703_701_000_000n)
  assert.equal(creditsFor(1, '0.000000999'), 0n)
  assert.equal(creditsFor(999, '0.3333333'), 332_999_966n)
})

test('a reference fits every provider and is never repeated', () => {
  const made = Array.from({ length: 10_000 }, newReference)
  assert(made.every((reference) => /^[0-9A-Z]{20}$/.test(reference)))
  assert.equal(new Set(made).size, made.length)
})
