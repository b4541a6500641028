import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import {
  insertAttempt,
  spendToken,
  purgeSpentTokens,
  takeAttempt,
} from '../../../src/accounts/sign-in/attempts-store.ts'
import type { Accounts } from '../../../src/accounts/accounts.ts'
import { readIdentity } from '../../../src/accounts/sign-in/identity.ts'
import type { ExternalIdentity } from '../../../src/accounts/sign-in/identity.ts'
import { accountForIdentity } from '../../../src/accounts/sign-in/linking.ts'
import type { Db } from '../../../src/db/db.ts'
import { sha256 } from '../../../src/lib/secrets.ts'
import { assertAudit } from '../../support/money/audit.ts'
import { freshEmail, openTestAccounts } from '../../support/accounts.ts'
import { withDatabase } from '../../support/databases.ts'
import { insertPerson } from '../../support/people.ts'

let visitors = 0
const visitor = (over: Partial<ExternalIdentity> = {}): ExternalIdentity => ({
  issuer: 'https://id.example',
  subject: `s-${(visitors += 1)}`,
  provider: 'Example',
  name: 'Asha',
  ...over,
})

withDatabase('linking', (open) => {
  let db: Db
  let accounts: Accounts
  before(async () => {
    db = await open()
    accounts = await openTestAccounts(db)
  })
  const enter = (identity: ExternalIdentity) =>
    db.begin((tx) => accountForIdentity(accounts, tx, identity))

  it('recognises an identity by issuer and subject, whatever else changes', async () => {
    const identity = visitor({ email: freshEmail() })
    const first = await enter(identity)
    assert.deepEqual([first.created, first.account.status], [true, 'active'])
    const again = await enter({ ...identity, email: freshEmail(), name: 'Renamed' })
    assert.deepEqual([again.created, again.account.id], [false, first.account.id])
    const elsewhere = await enter({ ...identity, issuer: 'https://other.example' })
    assert.equal(elsewhere.account.id, first.account.id, 'linked by the verified address')
    const nobody = await enter(visitor({ subject: identity.subject, issuer: 'https://x.example' }))
    assert.equal(nobody.created, true)
  })

  it('grants sign-up credits only once per identity and per address, ever', async () => {
    const email = freshEmail()
    const { account } = await enter(visitor({ email }))
    const grants = async (id: string) =>
      (await db.query(`select 1 from ledger_entries where account_id = $1`, [id])).length
    assert.equal(await grants(account.id), 1)
    await db.query(
      `update accounts set deleted_at = now(), email = null, email_verified_at = null
       where id = $1`,
      [account.id],
    )
    const reborn = await enter(visitor({ email }))
    assert.equal(reborn.created, true)
    assert.equal(await grants(reborn.account.id), 0)
    await assertAudit(db)
  })

  it('makes one account when many first sign-ins arrive at once', async () => {
    const identity = visitor({ email: freshEmail() })
    const entered = await Promise.all(Array.from({ length: 6 }, () => enter(identity)))
    assert.equal(new Set(entered.map(({ account }) => account.id)).size, 1)
    assert.equal(entered.filter(({ created }) => created).length, 1)
    // Two services vouch for one address at the same moment.
    const email = freshEmail()
    const two = await Promise.all([enter(visitor({ email })), enter(visitor({ email }))])
    assert.equal(new Set(two.map(({ account }) => account.id)).size, 1)
  })

  it('does not sign in to an account that never verified the address', async () => {
    const email = freshEmail()
    const claimant = await insertPerson(db, { email, verified: false })
    const { account } = await enter(visitor({ email }))
    assert.notEqual(account.id, claimant)
    const [row] = await db.query('select email from accounts where id = $1', [claimant])
    assert.equal(row?.email, null, 'the claim is dropped')
  })

  it('an attempt can be taken once, by its own browser, before it expires', async () => {
    const attempt = {
      provider: 'google' as const,
      stateHash: sha256('state'),
      browserHash: sha256('browser'),
      redirectUri: 'https://app.example/auth/callback',
      clientState: undefined,
      cookie: false,
    }
    await insertAttempt(db, attempt)
    assert.equal(await takeAttempt(db, { ...attempt, browserHash: sha256('other') }), undefined)
    assert.equal(await takeAttempt(db, { ...attempt, provider: 'github' }), undefined)
    const taken = await Promise.all([takeAttempt(db, attempt), takeAttempt(db, attempt)])
    assert.equal(taken.filter(Boolean).length, 1)
    await insertAttempt(db, attempt)
    await db.query(`update sign_in_attempts set expires_at = now() - interval '1 second'`)
    assert.equal(await takeAttempt(db, attempt), undefined)
  })

  it('a token can be spent once, and is deleted after it expires', async () => {
    const spent = await Promise.all([1, 2, 3].map(() => spendToken(db, sha256('t'), 60)))
    assert.equal(spent.filter(Boolean).length, 1)
    await db.query(`update spent_tokens set expires_at = now() - interval '1 second'`)
    await spendToken(db, sha256('u'), 60)
    assert.equal(await purgeSpentTokens(db, 100), 1)
    assert.equal((await db.query('select 1 from spent_tokens')).length, 1)
  })
})

it('takes from a provider only what it has verified', () => {
  const who = { issuer: 'i', subject: 's', provider: 'P' }
  const read = (claims: object) => readIdentity(who, { names: [], ...claims })
  assert.equal(read({ email: 'A@Example.com', emailVerified: true }).email, 'a@example.com')
  assert.equal(read({ email: 'A@Example.com', emailVerified: true }).name, 'a')
  for (const emailVerified of [false, 'true', 1, undefined, null]) {
    assert.equal(read({ email: 'a@example.com', emailVerified }).email, undefined)
  }
  assert.equal(read({ email: 'not an address', emailVerified: true }).email, undefined)
  assert.equal(read({ phone: '+255712345678', phoneVerified: 'yes' }).phone, undefined)
  assert.equal(read({ phone: '+255712345678', phoneVerified: true }).phone, '+255712345678')
  assert.equal(read({ names: ['\u0000 \n', 7, ' Asha\r\nJuma '] }).name, 'Asha Juma')
  assert.equal(read({ names: ['\u200b\u2066 ', 'Asha\u2028\u202eJuma'] }).name, 'Asha Juma')
  assert.equal(read({ names: ['x'.repeat(500)] }).name.length, 120)
  assert.ok(read({ names: [`${'x'.repeat(119)}😀`] }).name.isWellFormed())
  assert.equal(read({}).name, 'Mlango')
  for (const picture of ['javascript:alert(1)', 'http://a.example/x', '//x', 7, 'x'.repeat(3000)]) {
    assert.equal(read({ picture }).avatarUrl, undefined)
  }
})
