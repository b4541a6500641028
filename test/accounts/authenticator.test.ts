import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import { exportJWK, generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from 'jose'
import type { Accounts } from '../../src/accounts/accounts.ts'
import { createApiKey, revokeApiKey, listApiKeys } from '../../src/accounts/workspaces/api-keys.ts'
import { deleteAccount } from '../../src/accounts/profile/deletion.ts'
import { createAuthenticator } from '../../src/accounts/authenticator.ts'
import { newKey } from '../../src/accounts/credentials/credential-caches.ts'
import { logout } from '../../src/accounts/sessions/sessions.ts'
import { register } from '../../src/accounts/sessions/register.ts'
import { reinstateAccount, suspendAccount } from '../../src/accounts/suspension.ts'
import { verifyCode } from '../../src/accounts/sessions/verify.ts'
import { createWorkspace, deleteWorkspace } from '../../src/accounts/workspaces/workspaces.ts'
import { accountsCommand } from '../../src/cli/accounts.ts'
import type { Db } from '../../src/db/db.ts'
import { Failure } from '../../src/lib/failure.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import {
  codeFor,
  freshEmail,
  openTestAccounts,
  PASSWORD,
  sessionOf,
  testClock,
} from '../support/accounts.ts'
import { withDatabase } from '../support/databases.ts'
import { naughtyStrings } from '../support/samples/naughty.ts'
import { eventually } from '../support/eventually.ts'

const HERE = { address: '127.0.0.1', userAgent: 'test' }

withDatabase('the authenticator', (open) => {
  const clock = testClock()
  let db: Db
  let accounts: Accounts
  let elsewhere: Accounts
  let queries = 0

  before(async () => {
    const real = await open()
    db = counting(real, () => (queries += 1))
    // They share nothing but the database, like two processes.
    ;[accounts, elsewhere] = await Promise.all([
      openTestAccounts(db, clock),
      openTestAccounts(db, clock),
    ])
  })

  const person = async () => {
    const email = freshEmail()
    await register(accounts, { fullName: 'Asha', email, password: PASSWORD }, HERE)
    const code = await codeFor(db, email)
    const answer = { identifier: email, channel: 'email', purpose: 'verify_email', code } as const
    const session = sessionOf(await verifyCode(accounts, answer, HERE))
    const { key, id: keyId } = await createApiKey(accounts, session.user.id, { name: 'k' })
    return { ...session, id: session.user.id, email, key, keyId }
  }
  const ask = (token: string, at = accounts) => createAuthenticator(at).identify(`Bearer ${token}`)
  const codeOf = async (authorization: string | undefined, at = accounts) => {
    try {
      await createAuthenticator(at).identify(authorization)
      return 'let in'
    } catch (error) {
      assert.ok(error instanceof Failure)
      assert.equal(error.kind, 'unauthorized')
      assert.equal(error.message, 'The bearer token is missing, invalid or expired.')
      return error.code
    }
  }

  it('two processes that start together make one signing key', async () => {
    const rows = await db.query('select kid from signing_keys')
    assert.equal(rows.length, 1)
    const { access_token } = await person()
    assert.equal((await ask(access_token, elsewhere)).kind, 'jwt')
  })

  it('knows tokens and keys; what is cached needs no query', async () => {
    const { access_token, key, id, keyId } = await person()
    for (let i = 0; i < 2; i++) {
      const before = queries
      const byToken = await ask(access_token)
      const byKey = await ask(key)
      assert.equal(byToken.accountId, id)
      assert.ok(byKey.kind === 'key' && byKey.keyId === keyId && byKey.accountId === id)
      assert.equal(queries - before, i === 0 ? 2 : 0)
    }
  })

  it('looks a key up again after ten seconds, or later if notifications are known to arrive', async () => {
    const { key, keyId } = await person()
    const queriesOf = async (act: () => unknown) => {
      const before = queries
      await act()
      return queries - before
    }
    await ask(key)
    clock.push(11_000)
    assert.ok(!accounts.arrivals.areCurrent())
    assert.equal(await queriesOf(() => ask(key)), 1)

    clock.push(11_000)
    await accounts.arrivals.send()
    await eventually('the arrivals are current', async () => accounts.arrivals.areCurrent())
    clock.push(9_000)
    assert.equal(await queriesOf(() => ask(key)), 0)

    // By hand, without a notification: in force as soon as it may have been missed.
    await db.query('update api_keys set revoked_at = now() where id = $1', [keyId])
    assert.equal(await codeOf(`Bearer ${key}`), 'let in')
    clock.push(2_000)
    assert.equal(await codeOf(`Bearer ${key}`), 'invalid_api_key')
  })

  it('does not remember for longer that there is no such key', async () => {
    const unknown = newKey()
    assert.equal(await codeOf(`Bearer ${unknown}`), 'invalid_api_key')
    clock.push(11_000)
    await accounts.arrivals.send()
    await eventually('the arrivals are current', async () => accounts.arrivals.areCurrent())
    const before = queries
    assert.equal(await codeOf(`Bearer ${unknown}`), 'invalid_api_key')
    assert.equal(queries - before, 1)
  })

  it('takes a key from either header: the one that is ours', async () => {
    const { key, keyId, access_token } = await person()
    const other = (await person()).key
    const ask2 = async (bearer: string | undefined, apiKey: string) => {
      const authorization = bearer && `Bearer ${bearer}`
      try {
        return await createAuthenticator(accounts).identify(authorization, apiKey)
      } catch (error) {
        assert.ok(error instanceof Failure)
        return error.kind
      }
    }
    const good: [string | undefined, string][] = [
      [undefined, key],
      [key, key],
      [key, 'sk-ant-api03-theirs'],
      [key, ''],
      ['sk-ant-oat01-theirs', key],
      [access_token, key],
    ]
    for (const [bearer, apiKey] of good) {
      const known = await ask2(bearer, apiKey)
      assert.ok(typeof known === 'object' && known.kind === 'key' && known.keyId === keyId)
    }
    assert.equal(await ask2(key, other), 'unauthorized')
    for (const apiKey of ['', 'sk-ant-x', `${key}x`, access_token]) {
      assert.equal(await ask2(undefined, apiKey), 'unauthorized')
    }
  })

  it('gives the same answer to everything that is not a credential', async () => {
    const { refresh_token, key } = await person()
    const bent = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
    const odd = [undefined, '', 'Bearer', 'Bearer ', 'Bearer  ', 'Basic YTpi', `Bearer a b`]
    const tokens = [refresh_token, bent, newKey(), 'mlg_', 'a.b.c', 'x'.repeat(1_000_000), 'é']
    const before = queries
    for (const header of [...odd, ...tokens.map((token) => `Bearer ${token}`)]) {
      assert.equal(await codeOf(header), 'invalid_api_key')
    }
    assert.equal(queries - before, 1, 'only a key with a right checksum is looked up')
    for (const text of naughtyStrings) {
      assert.equal(await codeOf(`Bearer ${text}`), 'invalid_api_key')
      assert.equal(await codeOf(`Bearer mlg_${text}`), 'invalid_api_key')
    }
    assert.equal(queries - before, 1)
  })

  it('refuses forged tokens', async () => {
    const { id } = await person()
    const [session] = await db.query('select id from sessions where account_id = $1', [id])
    const [ours] = await accounts.signer.publicKeys()
    const claims = { sid: session!.id as string, role: 'admin', typ: 'access' }
    const thief = await generateKeyPair('ES256', { extractable: true })
    const draft = (over: { iss?: string; aud?: string; body?: object } = {}) =>
      new SignJWT({ ...claims, ...over.body })
        .setIssuer(over.iss ?? 'mlango')
        .setAudience(over.aud ?? 'mlango')
        .setSubject(id)
        .setJti(uuidv7())
        .setIssuedAt()
        .setExpirationTime('10m')
    const head = { alg: 'ES256', typ: 'at+jwt', kid: ours!.kid }
    const publicBytes = Buffer.from(JSON.stringify(ours))
    const jwk = await exportJWK(thief.publicKey)
    const none = new UnsecuredJWT({ ...claims, sub: id }).setIssuer('mlango').encode()
    const forged = [
      await draft().setProtectedHeader(head).sign(thief.privateKey),
      await draft()
        .setProtectedHeader({ ...head, jwk })
        .sign(thief.privateKey),
      await draft()
        .setProtectedHeader({ ...head, jku: 'http://127.0.0.1:1/' })
        .sign(thief.privateKey),
      await draft()
        .setProtectedHeader({ ...head, kid: '../../x' })
        .sign(thief.privateKey),
      await draft()
        .setProtectedHeader({ ...head, kid: "' or 1=1--" })
        .sign(thief.privateKey),
      await draft().setProtectedHeader({ alg: 'ES256', typ: 'at+jwt' }).sign(thief.privateKey),
      await draft()
        .setProtectedHeader({ ...head, alg: 'HS256' })
        .sign(publicBytes),
      none,
      none.replace(/^[^.]+/, encoded({ ...head, alg: 'None' })),
    ]
    for (const token of forged) assert.equal(await codeOf(`Bearer ${token}`), 'invalid_api_key')

    // Signed with our own key, but not as an access token of this service.
    const sign = await ownKey(db, accounts)
    const wrong = [
      await draft({ iss: 'other' }).setProtectedHeader(head).sign(sign),
      await draft({ aud: 'other' }).setProtectedHeader(head).sign(sign),
      await draft({ body: { typ: 'refresh' } })
        .setProtectedHeader(head)
        .sign(sign),
      await draft({ body: { sid: 7 } })
        .setProtectedHeader(head)
        .sign(sign),
      await draft({ body: { sid: uuidv7() } })
        .setProtectedHeader(head)
        .sign(sign),
      await draft({ body: { nbf: 32_503_680_000 } })
        .setProtectedHeader(head)
        .sign(sign),
      await draft()
        .setProtectedHeader({ ...head, typ: 'JWT' })
        .sign(sign),
      await draft()
        .setProtectedHeader({ ...head, crit: ['x'], x: 1 })
        .sign(sign, { crit: { x: true } }),
      await draft().setSubject(uuidv7()).setProtectedHeader(head).sign(sign),
    ]
    for (const token of wrong) assert.equal(await codeOf(`Bearer ${token}`), 'invalid_api_key')
    const right = await draft().setProtectedHeader(head).sign(sign)
    const principal = await ask(right)
    assert.ok(principal.kind === 'jwt' && principal.role === 'user', 'the role is the row’s')
  })

  it('distinguishes an expired token from a bad one', async () => {
    const { access_token } = await person()
    await ask(access_token)
    clock.push(901_000)
    assert.equal(await codeOf(`Bearer ${access_token}`), 'token_expired')
    assert.equal(await codeOf(`Bearer ${access_token}`, elsewhere), 'token_expired')
  })

  const gone = async (token: string) => {
    assert.equal(await codeOf(`Bearer ${token}`), 'invalid_api_key')
    await eventually(
      'the change arrives',
      async () => (await codeOf(`Bearer ${token}`, elsewhere)) === 'invalid_api_key',
    )
  }
  const warm = async (...tokens: string[]) => {
    for (const token of tokens) for (const at of [accounts, elsewhere]) await ask(token, at)
  }

  it('logout, revocation and deletion take effect at once, in every process', async () => {
    const one = await person()
    await warm(one.access_token, one.key)
    const principal = await ask(one.access_token)
    assert.ok(principal.kind === 'jwt')
    await logout(accounts, principal, {})
    await gone(one.access_token)
    await revokeApiKey(accounts, { accountId: one.id, id: one.keyId })
    await gone(one.key)
    const two = await person()
    await warm(two.access_token, two.key)
    await deleteAccount(accounts, two.id)
    await gone(two.access_token)
    await gone(two.key)
  })

  it('suspension stops sessions and keys, reinstatement restores them', async () => {
    const one = await person()
    await warm(one.access_token, one.key)
    assert.equal((await db.begin((tx) => suspendAccount(tx, one.id)))?.account.status, 'suspended')
    for (const token of [one.access_token, one.key]) {
      for (const at of [accounts, elsewhere]) {
        await eventually(
          'the change arrives',
          async () => (await codeOf(`Bearer ${token}`, at)) === 'invalid_api_key',
        )
      }
    }
    assert.equal((await db.begin((tx) => reinstateAccount(tx, one.id)))?.account.status, 'active')
    for (const token of [one.access_token, one.key]) {
      for (const at of [accounts, elsewhere]) {
        await eventually(
          'the change arrives',
          async () => (await codeOf(`Bearer ${token}`, at)) === 'let in',
        )
      }
    }
    assert.equal(await db.begin((tx) => suspendAccount(tx, uuidv7())), undefined)
  })

  it('a key moves at once when its workspace is deleted', async () => {
    const one = await person()
    const shop = await createWorkspace(accounts, one.id, { name: 'shop' })
    const { key } = await createApiKey(accounts, one.id, { name: 's', workspaceSlug: 'shop' })
    const before = await ask(key)
    assert.ok(before.kind === 'key' && before.workspaceId === shop.id)
    await deleteWorkspace(accounts, { accountId: one.id, slug: 'shop' })
    const after = await ask(key)
    assert.ok(after.kind === 'key' && after.workspaceId !== shop.id)
  })

  it('a key stops working when it expires', async () => {
    const { id } = await person()
    const expiresAt = new Date(clock.now().getTime() + 60_000)
    const { key } = await createApiKey(accounts, id, { name: 'short', expiresAt })
    await ask(key)
    clock.push(61_000)
    assert.equal(await codeOf(`Bearer ${key}`), 'invalid_api_key')
  })

  it('records the last use outside the call, at most once a minute', async () => {
    const { id, key } = await person()
    const lastUsed = async () => {
      const page = { includeRevoked: false, limit: 1, offset: 0 }
      return (await listApiKeys(accounts, id, page)).keys[0]!.last_used_at
    }
    await ask(key)
    assert.equal(await lastUsed(), undefined)
    await accounts.apiKeys.flushUses()
    const first = await lastUsed()
    assert.ok(first)
    clock.push(10_000)
    await ask(key)
    await accounts.apiKeys.flushUses()
    assert.equal(await lastUsed(), first)
    clock.push(55_000)
    await accounts.apiKeys.flushUses()
    assert.ok((await lastUsed())! > first)
    const before = queries
    await accounts.apiKeys.flushUses()
    assert.equal(queries, before)
  })

  it('the operator can show, suspend and reinstate an account', async () => {
    const { id, email } = await person()
    const printed: string[] = []
    const print = (line: string) => void printed.push(line)
    const run = (...args: string[]) => accountsCommand.run(args, { db, print })
    assert.equal(await run('show', email), 0)
    assert.match(printed[0]!, new RegExp(`id: ${id}`))
    assert.equal(await run('show', id), 0)
    assert.equal(await run('show', freshEmail()), 1)
    assert.equal(await run('suspend', id), 0)
    assert.equal(
      (await db.query('select status from accounts where id = $1', [id]))[0]!.status,
      'suspended',
    )
    assert.equal(await run('reinstate', id), 0)
    assert.equal(await run('suspend', 'x'), 1)
    assert.equal(await run('dance', id), 2)
  })
})

/** The real database, with every statement counted. */
function counting(db: Db, count: () => void): Db {
  return {
    ...db,
    query: (sql, params) => {
      count()
      return db.query(sql, params)
    },
    read: (sql, params) => {
      count()
      return db.read(sql, params)
    },
  }
}

/** Our own private key, as only this process can open it. */
async function ownKey(db: Db, accounts: Accounts) {
  const { unseal } = await import('../../src/lib/secrets.ts')
  const [row] = await db.query('select kid, private_sealed from signing_keys')
  const secret = unseal(
    accounts.keys.sealing[0],
    row!.private_sealed as Uint8Array,
    row!.kid as string,
  )
  return importJWK(JSON.parse(secret.toString()), 'ES256')
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
