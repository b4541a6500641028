import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import {
  checkTries,
  clearTries,
  codesSent,
  codeTries,
  passwordTries,
  takeTry,
} from '../../../src/accounts/codes/throttle.ts'
import type { Bucket } from '../../../src/accounts/codes/throttle.ts'
import type { Db } from '../../../src/db/db.ts'
import { Failure } from '../../../src/lib/failure.ts'
import { sha256 } from '../../../src/lib/secrets.ts'
import { withDatabase } from '../../support/databases.ts'

withDatabase('throttles', (open) => {
  let db: Db
  before(async () => {
    db = await open()
  })

  const waitS = async (bucket: Bucket) => {
    try {
      await checkTries(db, bucket)
      return 0
    } catch (error) {
      assert.ok(error instanceof Failure && error.kind === 'rate_limited')
      return error.retryAfterS!
    }
  }
  /** As if so much time had passed since the last try. */
  const pass = (bucket: Bucket, seconds: number) =>
    db.query(
      `update throttles set last_try = last_try - $2::float8 * interval '1 second',
         blocked_until = blocked_until - $2::float8 * interval '1 second' where bucket = $1`,
      [bucket, seconds],
    )
  const take = async (bucket: Bucket, tries: number) => {
    for (let i = 0; i < tries; i++) await takeTry(db, bucket)
  }

  const request = { subject: sha256('a') }
  const cases: [string, Bucket, number, number[]][] = [
    ['passwords', passwordTries(sha256('a')), 10, [10, 20, 40, 80, 160, 320, 640, 900, 900]],
    ['wrong codes', codeTries(sha256('a')), 15, [900, 1800, 3600, 3600, 3600]],
    [
      'codes sent',
      codesSent({ ...request, purpose: 'verify_email', channel: 'email' }, 'somebody'),
      10,
      [900, 1800, 3600, 3600, 3600],
    ],
    [
      'codes sent by SMS',
      codesSent({ ...request, purpose: 'verify_phone', channel: 'phone' }, 'somebody'),
      10,
      [900, 1800, 3600, 7200, 10_800, 10_800],
    ],
  ]
  for (const [name, bucket, freeTries, waits] of cases) {
    it(`${name}: ${freeTries} tries are free, then each wait doubles up to its limit`, async () => {
      await take(bucket, freeTries - 1)
      assert.equal(await waitS(bucket), 0)
      for (const expected of waits) {
        await takeTry(db, bucket)
        const left = await waitS(bucket)
        assert.ok(left <= expected && left > expected - 5, `${left} of ${expected}`)
        await assert.rejects(takeTry(db, bucket), Failure, 'a refused try counts nothing')
        await pass(bucket, expected)
      }
    })
  }

  it('start again after an hour without a try, and when they are cleared', async () => {
    const bucket = passwordTries(sha256('b'))
    await take(bucket, 10)
    await pass(bucket, 3601)
    await take(bucket, 9)
    assert.equal(await waitS(bucket), 0)
    await takeTry(db, bucket)
    assert.ok((await waitS(bucket)) > 0)
    await clearTries(db, bucket)
    await take(bucket, 9)
    assert.equal(await waitS(bucket), 0)
  })

  it('count each identifier for itself', async () => {
    await take(passwordTries(sha256('c')), 10)
    assert.equal(await waitS(passwordTries(sha256('d'))), 0)
    assert.equal(await waitS(codeTries(sha256('c'))), 0)
  })
})
