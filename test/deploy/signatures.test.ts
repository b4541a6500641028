import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signatureReport } from '../../bin/signature-report.ts'

test('a wrong signature fails; a registry that does not answer is told, and does not', () => {
  const wrong = { invalid: [{ name: 'left', version: '1.0.0' }], missing: [] }
  assert.deepEqual(signatureReport(JSON.stringify(wrong)), {
    bad: true,
    line: 'Wrong signatures: left@1.0.0.',
  })
  const fine = signatureReport(JSON.stringify({ invalid: [], missing: [{}] }))
  assert.deepEqual([fine.bad, /1 have none/.test(fine.line)], [false, true])
  const error = { code: 'ENOTFOUND', summary: 'request to a host failed\nmore' }
  for (const output of [JSON.stringify({ error }), '', 'npm error']) {
    const { bad, line } = signatureReport(output)
    assert.equal(bad, false)
    assert.match(line, /^Signatures of packages: not checked \(.*\)\.$/)
  }
})
