import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Accounts } from '../../../src/accounts/accounts.ts'
import { login } from '../../../src/accounts/sessions/login.ts'
import { register } from '../../../src/accounts/sessions/register.ts'
import { verifyCode } from '../../../src/accounts/sessions/verify.ts'
import type { Db } from '../../../src/db/db.ts'
import {
  codeFor,
  freshEmail,
  openTestAccounts,
  PASSWORD,
  sessionOf,
} from '../../support/accounts.ts'
import { assertAudit } from '../../support/money/audit.ts'
import { withDatabase } from '../../support/databases.ts'

const CHROME = 'Mozilla/5.0 (Linux; Android 14) Chrome/126.0.6478.71 Mobile Safari/537.36'
const HOME = { address: '196.41.32.7', userAgent: CHROME }

withDatabase('the notice of a new login', (open) => {
  let db: Db
  let accounts: Accounts
  before(async () => {
    db = await open()
    accounts = await openTestAccounts(db)
  })
  after(async () => assertAudit(db))

  /** Signed up at home. */
  const owner = async () => {
    const email = freshEmail()
    await register(accounts, { fullName: 'Asha', email, password: PASSWORD }, HOME)
    const answer = { identifier: email, channel: 'email', purpose: 'verify_email' } as const
    const code = await codeFor(db, email)
    const { user } = sessionOf(await verifyCode(accounts, { ...answer, code }, HOME))
    return {
      id: user.id,
      logIn: (device: typeof HOME) =>
        login(accounts, { identifier: email, password: PASSWORD }, device),
      notices: async () =>
        (
          await db.query(
            `select 1 from notifications where account_id = $1 and type = 'security.new_login'`,
            [user.id],
          )
        ).length,
    }
  }

  it('a copied User-Agent from another network is told, every time that the network is new', async () => {
    const { logIn, notices } = await owner()
    for (const [address, sum] of [
      ['41.59.1.1', 1],
      ['41.59.2.1', 2],
      ['2001:db8:1::1', 3],
    ] as const) {
      await logIn({ ...HOME, address })
      assert.equal(await notices(), sum, address)
    }
  })

  it('the owner who signs in every day from the same place and device hears nothing', async () => {
    const { logIn, notices } = await owner()
    for (let day = 0; day < 5; day++) await logIn(HOME)
    await logIn({ ...HOME, address: '196.41.32.200' })
    await logIn({ ...HOME, address: '::ffff:196.41.32.9' })
    await logIn({ ...HOME, userAgent: CHROME.replace('126.0.6478.71', '127.0.1.2') })
    assert.equal(await notices(), 0)
  })

  it('another device in a known network is told; inventing devices makes no more messages', async () => {
    const { id, logIn, notices } = await owner()
    for (let n = 0; n < 20; n++) {
      await logIn({ ...HOME, userAgent: `thief ${String.fromCodePoint(97 + n)}` })
    }
    assert.equal(await notices(), 1)
    await logIn({ address: '41.59.1.1', userAgent: 'thief a' })
    assert.equal(await notices(), 2, 'a new network is told all the same')
    await db.query(
      `update sessions set created_at = created_at - interval '25 hours' where account_id = $1`,
      [id],
    )
    await logIn({ ...HOME, userAgent: 'thief again' })
    assert.equal(await notices(), 3)
  })

  it('a sign-in to an account that has lain idle is told, though nothing is remembered of it', async () => {
    const { id, logIn, notices } = await owner()
    await db.query('delete from sessions where account_id = $1', [id])
    await logIn(HOME)
    assert.equal(await notices(), 0, 'a new account')
    await db.query('delete from sessions where account_id = $1', [id])
    await db.query(
      `update accounts set created_at = created_at - interval '90 days' where id = $1`,
      [id],
    )
    await logIn(HOME)
    assert.equal(await notices(), 1)
  })
})
