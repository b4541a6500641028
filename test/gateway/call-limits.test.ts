import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTurnstile } from '../../src/gateway/call-limits.ts'
import { Failure } from '../../src/lib/failure.ts'
import type { Principal } from '../../src/lib/principal.ts'

const asha: Principal = { kind: 'key', accountId: 'asha', keyId: 'k1', workspaceId: 'w' }
const juma: Principal = { kind: 'key', accountId: 'juma', keyId: 'k2', workspaceId: 'w' }
const limited = (error: unknown) => error instanceof Failure && error.kind === 'rate_limited'

test('an account has so many places, and gets one back when a call ends', () => {
  const turnstile = createTurnstile({ perAccount: 2 })
  const out = turnstile.enter(asha)
  turnstile.enter(asha)
  assert.throws(() => turnstile.enter(asha), limited)
  turnstile.enter(juma)
  out()
  out()
  turnstile.enter(asha)
  assert.throws(() => turnstile.enter(asha), limited)
})

test('a caller who keeps leaving is slowed, others are not, and time heals', () => {
  let now = 0
  const turnstile = createTurnstile({ perAccount: 100, nowMs: () => now })
  for (let i = 0; i < 9; i++) turnstile.left(asha)
  turnstile.enter(asha)
  turnstile.left(asha)
  assert.throws(
    () => turnstile.enter(asha),
    (error) => limited(error) && (error as Failure).retryAfterS === 60,
  )
  turnstile.enter(juma)
  now = 60_000
  turnstile.enter(asha)
  turnstile.left(asha)
  turnstile.enter(asha)
})
