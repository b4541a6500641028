import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trade } from './trade.ts'

test('a month of trade: overview, exports, records and ledger agree', async (t) => {
  const report = await trade({ seed: 21, calls: 600, payments: 30, accounts: 12, days: 30 })
  t.diagnostic(JSON.stringify(report))
  assert.deepEqual(report.violations, [])
  const { counts, overview, exports } = report
  assert.ok(exports['ledger']! >= 400 && exports['payments']! > 20, JSON.stringify(exports))
  for (const name of ['paid', 'broken', 'refunds', 'adjustments', 'payments failed']) {
    assert.ok(counts[name]! > 0, name)
  }
  for (const name of ['gift_credits', 'waived_credits', 'refunded_credits', 'fees_tzs']) {
    assert.ok(overview[name]! > 0, name)
  }
})
