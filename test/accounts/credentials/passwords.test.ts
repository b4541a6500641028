import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  checkNewPassword,
  openPasswordHasher,
} from '../../../src/accounts/credentials/passwords.ts'
import { Failure } from '../../../src/lib/failure.ts'

describe('passwords', () => {
  it('hashes with argon2id, and only the right password verifies', async () => {
    const hasher = await openPasswordHasher()
    const hash = await hasher.hash('kobe polepole')
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    assert.equal(await hasher.verify(hash, 'kobe polepole'), true)
    assert.equal(await hasher.verify(hash, 'kobe polepole '), false)
    assert.equal(await hasher.verify(undefined, 'kobe polepole'), false)
    assert.equal(await hasher.verify(null, 'kobe polepole'), false)
    assert.equal(await hasher.verify(hash, 'x'.repeat(129)), false)
    assert.equal(await hasher.verify(hash, 'kobe polepole\0'), false)
  })

  it('refuses a flood instead of queueing it', async () => {
    const hasher = await openPasswordHasher({ atOnce: 1, waiting: 2 })
    const tries = Array.from({ length: 6 }, () => hasher.verify(undefined, 'kobe polepole'))
    const ends = await Promise.allSettled(tries)
    const refusals = ends.filter((end) => end.status === 'rejected').map((end) => end.reason)
    assert.equal(refusals.length, 3)
    for (const reason of refusals) {
      assert.ok(reason instanceof Failure)
      assert.equal(reason.kind, 'unavailable')
      assert.equal(reason.retryAfterS, 2)
    }
    assert.equal(
      await hasher.verify(undefined, 'kobe polepole'),
      false,
      'and then it is free again',
    )
  })

  it('refuses short, long and common passwords and the own identifiers, naming the field', () => {
    const own = ['asha.juma@example.com', '+255712345678']
    const bad = ['1234567', 'x'.repeat(129), 'NENOSIRI123', 'asha.juma', '255712345678']
    for (const password of [...bad, 'Asha.Juma@example.com', 'abcdefgh\0', '\ud800abcdefgh']) {
      assert.throws(
        () => checkNewPassword(password, own, 'new_password'),
        (error) => error instanceof Failure && error.param === 'new_password',
      )
    }
    for (const password of ['x7#kQ!pz', 'x'.repeat(128), 'mti mkavu']) {
      checkNewPassword(password, own, 'password')
    }
  })
})
