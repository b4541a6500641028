import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import {
  addDecimals,
  compareDecimals,
  largestDecimal,
  plainDecimal,
  signOf,
  timesDecimals,
} from '../../src/lib/decimal.ts'

describe('decimals as texts', () => {
  it('are exact, whatever the notation', () => {
    const cases: [unknown, string | undefined][] = [
      [0.000508, '0.000508'],
      [1e-7, '0.0000001'],
      [1e-99, undefined],
      ['0.0000716666666667', '0.0000716666666667'],
      ['1.50', '1.5'],
      ['-1', '-1'],
      [0, '0'],
      ['2E3', '2000'],
      [1e308, undefined],
      ['', undefined],
      ['NaN', undefined],
      [Number.NaN, undefined],
      [null, undefined],
      ['1,5', undefined],
      ['0x10', undefined],
    ]
    for (const [value, text] of cases) assert.equal(plainDecimal(value), text, String(value))
  })

  it('add, multiply and compare like integers do', () => {
    const money = fc.tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.nat(9))
    const text = ([digits, scale]: [bigint, number]) => plainDecimal(`${digits}e-${scale}`)!
    const lifted = ([digits, scale]: [bigint, number]) => digits * 10n ** BigInt(9 - scale)
    fc.assert(
      fc.property(money, money, (a, b) => {
        const sum = plainDecimal(`${lifted(a) + lifted(b)}e-9`)
        assert.equal(addDecimals(text(a), text(b)), sum)
        const product = plainDecimal(`${a[0] * b[0]}e-${a[1] + b[1]}`)
        assert.equal(timesDecimals(text(a), text(b)), product)
        const order = lifted(a) < lifted(b) ? -1 : lifted(a) > lifted(b) ? 1 : 0
        assert.equal(compareDecimals(text(a), text(b)), order)
        assert.equal(signOf(text(a)), a[0] < 0n ? -1 : a[0] > 0n ? 1 : 0)
      }),
    )
    assert.equal(largestDecimal(['0.1', '0.30', '0.2']), '0.30')
    assert.equal(largestDecimal([]), undefined)
  })
})
