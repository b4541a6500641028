import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  ceilTo,
  compare,
  decimal,
  decimalText,
  parseDecimal,
  plus,
  times,
} from '../../src/lib/decimal.ts'
import {
  ceilMicro,
  creditsDecimal,
  creditsNumber,
  creditsText,
  MICRO,
  parseCredits,
} from '../../src/ledger/money.ts'

test('credits are read exactly', () => {
  assert.equal(parseCredits('0.01'), 10_000n)
  assert.equal(parseCredits('100'), 100n * MICRO)
  assert.equal(parseCredits('0.000001'), 1n)
  assert.equal(parseCredits('1.5000000'), 1_500_000n)
  assert.equal(parseCredits('1e-6'), 1n)
  for (const text of ['0.0000001', '', 'abc', '1,5', ' 1', 'NaN', 'Infinity', '0x10', '1_000']) {
    assert.throws(() => parseCredits(text), Error, text)
  }
})

test('credits become the nearest JSON number and exact text', () => {
  assert.equal(JSON.stringify(creditsNumber(100_000n)), '0.1')
  assert.equal(JSON.stringify(creditsNumber(300_000n)), '0.3')
  assert.equal(JSON.stringify(creditsNumber(-1n)), '-0.000001')
  assert.equal(creditsText(-12_500_000n), '-12.5')
  assert.equal(creditsText(0n), '0')
  const property = fc.property(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), (micro) => {
    assert.equal(parseCredits(creditsText(micro)), micro)
    assert.equal(BigInt(Math.round(creditsNumber(micro) * 1e6)), micro)
  })
  fc.assert(property)
})

test('decimals are read in the forms that price lists use', () => {
  assert.deepEqual(parseDecimal('0.00000015'), { units: 15n, scale: 8 })
  assert.equal(compare(decimal('1.5e-7'), decimal('0.00000015')), 0)
  assert.equal(decimalText(decimal(1.5e-7)), '0.00000015')
  assert.equal(decimalText(decimal('3e3')), '3000')
  assert.equal(decimalText(decimal('-0.50')), '-0.5')
  for (const text of ['', '.5', '5.', '1e', '1e999', '--1', '1 ', 'NaN', '9'.repeat(41)]) {
    assert.equal(parseDecimal(text), undefined, text)
  }
})

test('a charge is rounded up to the microcredit once', () => {
  const cost = plus(
    times(decimal(3), decimal('0.00000015')),
    times(decimal(7), decimal('0.0000006')),
  )
  const credits = times(cost, decimal('3000'), decimal('1.1'))
  assert.equal(decimalText(credits), '0.015345')
  assert.equal(ceilMicro(credits), 15_345n)
  assert.equal(ceilMicro(decimal('0.0000000001')), 1n)
  assert.equal(ceilMicro(decimal('0')), 0n)
  assert.equal(ceilMicro(decimal('-0.0000015')), -1n)
})

test('sums and products agree with whole numbers', () => {
  const part = fc.tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.nat(12))
  const property = fc.property(part, part, ([a, i], [b, j]) => {
    const [x, y] = [
      { units: a, scale: i },
      { units: b, scale: j },
    ]
    assert.equal(ceilTo(times(x, y), 24), a * b * 10n ** BigInt(24 - i - j))
    const sum = a * 10n ** BigInt(12 - i) + b * 10n ** BigInt(12 - j)
    assert.equal(ceilTo(plus(x, y), 12), sum)
    assert.equal(compare(x, y), -compare(y, x) || 0)
    const ceiled = ceilTo(x, 6)
    assert(compare(creditsDecimal(ceiled), x) >= 0)
    assert(compare(creditsDecimal(ceiled - 1n), x) < 0)
  })
  fc.assert(property)
})
