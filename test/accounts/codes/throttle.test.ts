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
import type { Tries } from '../../../src/accounts/codes/throttle.ts'
import type { Db } from '../../../src/db/db.ts'
import { Failure } from '../../../src/lib/failure.ts'
import { sha256 } from '../../../src/lib/secrets.ts'
import { withDatabase } from '../../support/databases.ts'

withDatabase('throttles', (open) => {
  let db: Db
  before(async () => {
    db = await open()
  })

  const waitS = async (tries: Tries) => {
    try {
      await checkTries(db, tries)
      return 0
    } catch (error) {
      assert.ok(error instanceof Failure && error.kind === 'rate_limited')
      return error.retryAfterS!
    }
  }
  /** As if so much time had passed since every last try. */
  const pass = (seconds: number) =>
    db.query(
      `update throttles set last_try = last_try - $1::float8 * interval '1 second',
         blocked_until = blocked_until - $1::float8 * interval '1 second'`,
      [seconds],
    )
  const take = async (tries: Tries, count: number) => {
    for (let i = 0; i < count; i++) await takeTry(db, tries)
  }
  /** Tries until it has to wait, at most fifty times. */
  const takeAll = async (tries: Tries) => {
    for (let taken = 0; ; taken++) {
      if (taken === 50 || (await waitS(tries)) > 0) return taken
      await takeTry(db, tries)
    }
  }
  const stranger = (n: number) => ({ key: `network ${n}`, known: false })
  const owner = { key: 'the phone of the owner', known: true }

  const mail = { subject: sha256('a'), purpose: 'verify_email', channel: 'email' }
  const sms = { subject: sha256('a'), purpose: 'verify_phone', channel: 'phone' }
  const cases: [string, Tries, number, number[]][] = [
    [
      'passwords',
      passwordTries(sha256('a'), stranger(1)),
      10,
      [10, 20, 40, 80, 160, 320, 640, 900, 900],
    ],
    ['wrong codes', codeTries(sha256('a'), stranger(1)), 15, [900, 1800, 3600, 3600, 3600]],
    ['codes sent', codesSent(mail, stranger(1)), 10, [900, 1800, 3600, 3600, 3600]],
    ['codes sent by SMS', codesSent(sms, owner), 10, [900, 1800, 3600, 7200, 10_800, 10_800]],
  ]
  for (const [name, tries, freeTries, waits] of cases) {
    it(`${name}: ${freeTries} tries are free, then each wait doubles up to its limit`, async () => {
      await take(tries, freeTries - 1)
      assert.equal(await waitS(tries), 0)
      for (const expected of waits) {
        await takeTry(db, tries)
        const left = await waitS(tries)
        assert.ok(left <= expected && left > expected - 300, `${left} of ${expected}`)
        await assert.rejects(takeTry(db, tries), Failure, 'a refused try counts nothing')
        await pass(expected)
      }
    })
  }

  it('start again after an hour without a try, and when they are cleared', async () => {
    const tries = passwordTries(sha256('b'), owner)
    await take(tries, 10)
    await pass(3601)
    await take(tries, 9)
    assert.equal(await waitS(tries), 0)
    await takeTry(db, tries)
    assert.ok((await waitS(tries)) > 0)
    await clearTries(db, tries)
    await take(tries, 9)
    assert.equal(await waitS(tries), 0)
  })

  it('count each identifier, and each asker, for itself', async () => {
    await take(passwordTries(sha256('c'), stranger(1)), 10)
    assert.equal(await waitS(passwordTries(sha256('d'), stranger(1))), 0)
    assert.equal(await waitS(codeTries(sha256('c'), stranger(1))), 0)
    assert.equal(await waitS(passwordTries(sha256('c'), stranger(2))), 0)
    assert.equal(await waitS(passwordTries(sha256('c'), owner)), 0)
  })

  const NETWORKS = 40
  for (const [name, of, calm, slowed] of [
    ['passwords', (by: typeof owner) => passwordTries(sha256('e'), by), 100, 3],
    ['codes', (by: typeof owner) => codeTries(sha256('e'), by), 30, 3],
    ['messages', (by: typeof owner) => codesSent(mail, by), 30, 2],
    ['SMS', (by: typeof owner) => codesSent(sms, by), 20, 2],
  ] as const) {
    it(`${name}: N networks together have ${calm} + ${slowed} N tries a day; a known device has its own`, async () => {
      await db.query('delete from throttles')
      const day = async () => {
        const taken = await Promise.all(
          Array.from({ length: NETWORKS }, (_, n) => takeAll(of(stranger(n)))),
        )
        return taken.reduce((sum, one) => sum + one, 0)
      }
      const first = await day()
      assert.ok(first > calm && first <= calm + slowed * NETWORKS, String(first))
      assert.equal(await waitS(of(owner)), 0)
      await take(of(owner), 9)
      assert.equal(await takeAll(of(stranger(NETWORKS))), slowed, 'a new network is let in')
      await pass(86_399)
      await takeTry(db, of(stranger(NETWORKS + 1)))
      await pass(2)
      const second = await day()
      assert.ok(second <= slowed * NETWORKS, String(second))
    })
  }
})
