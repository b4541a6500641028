import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import {
  COMMON_PASSWORDS_FILE,
  commonPasswordsFile,
} from '../../../src/accounts/credentials/common-passwords.ts'
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

  it('knows what leaks have shown to be common, without asking anybody', () => {
    const file = readFileSync(COMMON_PASSWORDS_FILE)
    assert.ok(file.length > 4 * 50_000 && file.length < 500_000, `${file.length} bytes`)
    const common = ['12345678', 'password1', 'trustno1', 'Liverpool1', 'PASSW0RD', 'Nakupenda']
    for (const password of common) {
      assert.throws(
        () => checkNewPassword(password, [], 'password'),
        (error) => error instanceof Failure && /password is too common/.test(error.message),
        password,
      )
    }
    // The first and the last of a file are found as well.
    const entries = Array.from({ length: file.length / 4 }, (_, i) => file.readUInt32BE(i * 4))
    assert.deepEqual(
      entries.filter((entry, i) => i > 0 && entries[i - 1]! >= entry),
      [],
    )
    const made = commonPasswordsFile(['short', 'Password1', 'password1', 'trustno1'])
    assert.equal(made.length, 8)
    assert.ok(made.readUInt32BE(0) < made.readUInt32BE(4))
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
