import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compareStatement, type OwnPayment } from '../../src/payments/compare-statement.ts'
import { readCsv, readStatement } from '../../src/payments/statement-file.ts'

const own = (id: string, change: Partial<OwnPayment> = {}): OwnPayment => ({
  id,
  reference: `mlg-${id}`,
  providerRef: `prov-${id}`,
  status: 'completed',
  amountTzs: 5000,
  inPeriod: true,
  ...change,
})

test('what is written as CSV is read as it was', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ', 'é') })
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 2 }), { minLength: 1 })
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
  fc.assert(
    fc.property(table, (rows) => {
      const text = rows.map((row) => row.map(quoted).join(',')).join('\r\n')
      assert.deepEqual(readCsv(text), rows)
    }),
  )
})

test('the columns of different providers, amounts in their ways', () => {
  const csv =
    '\ufeffOrder Reference,Collected Amount,Status\r\nmlg-1,"5,000.00",SUCCESS\nmlg-2,700,failed\n\n'
  assert.deepEqual(readStatement(csv), [
    { line: 2, reference: 'mlg-1', providerRef: undefined, amountTzs: 5000, paid: true },
    { line: 3, reference: 'mlg-2', providerRef: undefined, amountTzs: 700, paid: false },
  ])
})

test('a file that is no statement is refused by what is missing', () => {
  for (const [csv, why] of [
    ['', /column `amount`/],
    ['reference,status\nx,paid', /column `amount`/],
    ['amount\n5', /column `reference`/],
    ['reference,amount\nx,5.5', /line 2/],
    ['reference,amount\nx,5\ny,-5', /line 3/],
  ] as const) {
    assert.throws(() => readStatement(csv), why)
  }
})

test('every difference is listed, and the sums are those of both sides', () => {
  const csv = [
    'reference,transaction_id,amount,status',
    'mlg-same,,5000,completed',
    ',prov-by-theirs,5000,completed',
    'mlg-pending,,5000,completed',
    'mlg-other,,4000,completed',
    'mlg-stranger,,300,completed',
    'mlg-same,,5000,completed',
    'mlg-late,,5000,completed',
    'mlg-missing,,5000,failed',
  ].join('\n')
  const payments = [
    own('same'),
    own('by-theirs'),
    own('pending', { status: 'pending', inPeriod: false }),
    own('other'),
    own('late', { inPeriod: false }),
    own('missing'),
  ]
  const compared = compareStatement(readStatement(csv), payments)
  assert.deepEqual(
    compared.differences.map(({ kind, reference }) => [kind, reference]),
    [
      ['not_credited', 'mlg-pending'],
      ['amount_differs', 'mlg-other'],
      ['unknown_here', 'mlg-stranger'],
      ['repeated', 'mlg-same'],
      ['missing_there', 'mlg-missing'],
    ],
  )
  assert.equal(compared.rows, 8)
  assert.equal(compared.matched, 3)
  assert.equal(compared.statementTzs, 29_300)
  assert.equal(compared.ownTzs, 20_000)
})

test('two sides that agree have no difference', () => {
  const payments = ['a', 'b', 'c'].map((id) => own(id))
  const csv = `reference,amount\n${payments.map(({ reference }) => `${reference},5000`).join('\n')}`
  const compared = compareStatement(readStatement(csv), payments)
  assert.deepEqual([compared.matched, compared.differences], [3, []])
  assert.equal(compared.statementTzs, compared.ownTzs)
})
