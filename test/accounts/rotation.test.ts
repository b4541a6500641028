import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { importJWK, SignJWT } from 'jose'
import { accountKeys, openAccounts, type Accounts } from '../../src/accounts/accounts.ts'
import { totpAt } from '../../src/accounts/credentials/totp.ts'
import { deleteAccount } from '../../src/accounts/profile/deletion.ts'
import { changeProfile } from '../../src/accounts/profile/profile.ts'
import { login } from '../../src/accounts/sessions/login.ts'
import { refresh } from '../../src/accounts/sessions/refresh.ts'
import { register } from '../../src/accounts/sessions/register.ts'
import { verifyCode } from '../../src/accounts/sessions/verify.ts'
import { readConfig } from '../../src/config.ts'
import type { Db } from '../../src/db/db.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { silentLog } from '../../src/lib/log.ts'
import { unseal } from '../../src/lib/secrets.ts'
import { keysCommand } from '../../src/cli/keys.ts'
import {
  codeFor,
  freshEmail,
  fromBase32,
  PASSWORD,
  sessionOf,
  testClock,
} from '../support/accounts.ts'
import { assertAudit } from '../support/money/audit.ts'
import { freshDb } from '../support/databases.ts'

const HERE = { address: '127.0.0.1', userAgent: 'test' }
const [A, B, C] = ['A', 'B', 'C'].map((letter) => letter.repeat(40)) as [string, string, string]

describe('a change of MASTER_KEY', () => {
  const clock = testClock()
  let db: Db
  before(async () => {
    db = await freshDb()
  })
  after(async () => {
    await assertAudit(db)
    await db.close()
  })

  /** A process with these settings. */
  const start = (masterKey: string, MASTER_KEY_PREVIOUS?: string): Promise<Accounts> => {
    const config = readConfig({ SIGNUP_BONUS_CREDITS: '100', MASTER_KEY_PREVIOUS })
    return openAccounts({ db, config, masterKey, clock, log: silentLog })
  }
  const operator = async (command: string, masterKey: string, MASTER_KEY_PREVIOUS?: string) => {
    const lines: string[] = []
    const print = (line: string) => void lines.push(line)
    const config = readConfig({ MASTER_KEY_PREVIOUS })
    const code = await keysCommand.run([command], { db, config, masterKey, print })
    return { code, text: lines.join('\n') }
  }
  const startFresh = async () => {
    await db.query('delete from signing_keys')
    await db.query('delete from identifier_keys')
    await db.query('delete from proven_identifiers')
  }
  const signUp = async (at: Accounts, email = freshEmail()) => {
    await register(at, { fullName: 'Asha', email, password: PASSWORD }, HERE)
    return { email, ...sessionOf(await verifyCode(at, await proofOf(email), HERE)) }
  }
  const proofOf = async (email: string) => {
    const proof = { identifier: email, channel: 'email', purpose: 'verify_email' } as const
    return { ...proof, code: await codeFor(db, email) }
  }
  const hasBonus = async ({ user }: { user: { id: string } }) =>
    (await db.query('select 1 from ledger_entries where account_id = $1', [user.id])).length === 1

  /** A token that never expires, signed with the key that an old MASTER_KEY opens. */
  const forged = async (masterKey: string, { user }: { user: { id: string } }) => {
    const [key] = await db.query('select * from signing_keys order by created_at limit 1')
    const [session] = await db.query('select id from sessions where account_id = $1', [user.id])
    const { sealing } = accountKeys({ masterKey, previous: undefined })
    const jwk = unseal(sealing[0], key!.private_sealed as Uint8Array, key!.kid as string)
    return new SignJWT({ sid: session!.id as string, role: 'user', typ: 'access' })
      .setProtectedHeader({ alg: 'ES256', kid: key!.kid as string, typ: 'at+jwt' })
      .setIssuer('mlango')
      .setAudience('mlango')
      .setSubject(user.id)
      .setJti(uuidv7())
      .setIssuedAt()
      .setExpirationTime('10y')
      .sign(await importJWK(JSON.parse(jwk.toString()), 'ES256'))
  }

  it('ends the signing key before it after fifteen minutes, however often it is restarted', async () => {
    await startFresh()
    const person = await signUp(await start(A))
    const token = await forged(A, person)
    const now = await start(B)
    assert.ok(typeof (await now.signer.verify(person.access_token)) === 'object')
    assert.ok(typeof (await now.signer.verify(token)) === 'object', 'its tokens may be in use')
    assert.equal((await now.signer.publicKeys()).length, 2)
    clock.push(901_000)
    assert.ok(typeof (await now.signer.verify(token)) !== 'object', 'a known one too')
    assert.equal((await now.signer.publicKeys()).length, 1)
    const again = await start(B)
    assert.equal(await again.signer.verify(token), undefined)
    const later = await signUp(again)
    assert.ok(typeof (await now.signer.verify(later.access_token)) === 'object')
  })

  it('lets a replica with the old key take tokens of the new one meanwhile', async () => {
    await startFresh()
    const old = await start(A)
    const person = await signUp(await start(B, A))
    clock.push(11_000)
    assert.ok(typeof (await old.signer.verify(person.access_token)) === 'object')
  })

  it('with MASTER_KEY_PREVIOUS locks nobody out', async () => {
    await startFresh()
    const old = await start(A)
    const person = await signUp(old)
    const caller = { accountId: person.user.id, sessionId: await sessionIdOf(person.user.id) }
    const begun = await changeProfile(old, caller, { mfaMethod: 'totp' })
    const secret = fromBase32(begun.totp!.secret)
    const code = () => {
      clock.push(30_000)
      return totpAt(secret, Math.floor(clock.now().getTime() / 30_000))
    }
    await changeProfile(old, caller, { totpCode: code() })
    const waiting = freshEmail()
    await register(old, { fullName: 'Juma', email: waiting, password: PASSWORD }, HERE)
    const signIn = async (at: Accounts) => {
      const opened = await login(at, { identifier: person.email, password: PASSWORD }, HERE)
      assert.ok('challenge_id' in opened)
      const answer = { identifier: person.email, channel: 'totp', purpose: 'login_mfa' } as const
      const challengeId = opened.challenge_id
      return sessionOf(await verifyCode(at, { ...answer, challengeId, code: code() }, HERE))
    }

    const both = await start(B, A)
    const renewed = await refresh(both, person.refresh_token)
    assert.ok((await signIn(both)).access_token)
    assert.ok(sessionOf(await verifyCode(both, await proofOf(waiting), HERE)).access_token)
    const done = await operator('rotate', B, A)
    assert.equal(done.code, 0, done.text)
    assert.match(done.text, /now: 2\. Before already: 0\./)
    assert.match((await operator('rotate', B, A)).text, /now: 0\. Before already: 2\./)

    const after = await start(B)
    assert.ok((await signIn(after)).access_token)
    assert.ok((await refresh(after, renewed.refresh_token)).access_token)
    assert.equal((await operator('rotate', B)).code, 0)
    const thief = await start(A)
    await assert.rejects(signIn(thief), { kind: 'otp_invalid' }, 'sealed under the new key')
  })

  it('without MASTER_KEY_PREVIOUS ends what the old key made', async () => {
    await startFresh()
    const person = await signUp(await start(A))
    await assert.rejects(refresh(await start(B), person.refresh_token), { kind: 'unauthorized' })
  })

  it('the sign-up bonus is given once ever, before and after it', async () => {
    await startFresh()
    const comeBack = async (at: Accounts, email: string) => {
      const person = await signUp(at, email)
      const bonus = await hasBonus(person)
      await deleteAccount(at, person.user.id)
      return bonus
    }
    const [email, later] = [freshEmail(), freshEmail()]
    const old = await start(A)
    assert.equal(await comeBack(old, email), true)
    assert.equal(await comeBack(old, email), false)
    const both = await start(B, A)
    assert.equal(await comeBack(both, email), false)
    assert.equal(await comeBack(both, later), true)
    await operator('rotate', B, A)
    const after = await start(B)
    assert.equal(await comeBack(after, email), false)
    assert.equal(await comeBack(after, later), false)
    assert.equal(await comeBack(after, freshEmail()), true)
    assert.deepEqual(await outright(later, comeBack), [false, false, false, true])
  })

  /** From B to C with the key before lost, until the operator gives up what it sealed. */
  async function outright(
    email: string,
    comeBack: (at: Accounts, email: string) => Promise<boolean>,
  ): Promise<boolean[]> {
    const lost = await start(C)
    const bonuses = [await comeBack(lost, email), await comeBack(lost, freshEmail())]
    assert.equal((await operator('rotate', C)).code, 1)
    const found = await start(C, B)
    bonuses.push(await comeBack(found, email))
    assert.match((await operator('forget', C)).text, /given up: 1\./)
    return [...bonuses, await comeBack(await start(C), freshEmail())]
  }

  async function sessionIdOf(accountId: string): Promise<string> {
    const [row] = await db.query('select id from sessions where account_id = $1', [accountId])
    return row!.id as string
  }
})
