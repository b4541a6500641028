import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCallLimits } from '../../src/gateway/call-limits.ts'
import { Failure } from '../../src/lib/failure.ts'
import type { Principal } from '../../src/accounts/principal.ts'

const asha: Principal = { kind: 'key', accountId: 'asha', keyId: 'k1', workspaceId: 'w' }
const juma: Principal = { kind: 'key', accountId: 'juma', keyId: 'k2', workspaceId: 'w' }
const limited = (error: unknown) => error instanceof Failure && error.kind === 'rate_limited'

test('an account may run up to its limit of calls, and another when one of them ends', () => {
  const limits = createCallLimits({ perAccount: 2 })
  const out = limits.enter(asha)
  limits.enter(asha)
  assert.throws(() => limits.enter(asha), limited)
  limits.enter(juma)
  out()
  out()
  limits.enter(asha)
  assert.throws(() => limits.enter(asha), limited)
})
