import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { usePasskey } from '../../../src/accounts/codes/passkeys-store.ts'
import { totpAt } from '../../../src/accounts/credentials/totp.ts'
import { eraseDeletedAccounts } from '../../../src/accounts/profile/deletion.ts'
import {
  accountsApp,
  ageCodes,
  freshPhone,
  fromBase32,
  PASSWORD,
  refused,
  testClock,
} from '../../support/accounts.ts'
import {
  PASSKEY_PAGE,
  softPasskey,
  type Lies,
  type SoftPasskey,
} from '../../support/peers/passkey.ts'

const clock = testClock()
const app = accountsApp(clock, { PUBLIC_URL: PASSKEY_PAGE })

const post = (path: string, token: string | undefined, body?: object) =>
  app.call(`POST ${path}`, { token, body })
const patch = (token: string, body: object) => app.call('PATCH /v1/me', { token, body })
const login = async (email: string) =>
  (await app.call('POST /v1/auth/login', { body: { identifier: email, password: PASSWORD } })).body
    .data
const begin = (token: string, proof: object = { password: PASSWORD }) =>
  post('/v1/me/passkeys/options', token, proof)
const finish = (token: string, credential: object, name = 'My phone') =>
  post('/v1/me/passkeys', token, { name, credential })
const askLogin = (challenge_id: string) =>
  post('/v1/auth/passkeys/options', undefined, { challenge_id })
const verify = (challenge_id: string, credential: object) =>
  post('/v1/auth/passkeys/verify', undefined, { challenge_id, credential })
const remove = (token: string, id: string, body: object = { password: PASSWORD }) =>
  app.call(`DELETE /v1/me/passkeys/${id}`, { token, body })
const mfaOf = async (token: string) => (await app.call('GET /v1/me/mfa', { token })).body.data
const typesOf = async (id: string) => {
  const rows = await app.db.query(
    `select type from notifications where account_id = $1 and type like 'security.%' order by id`,
    [id],
  )
  return rows.map(({ type }) => type)
}
/** As if all that was shown in every session had been shown so many minutes ago. */
const ageFactors = (minutes: number) =>
  app.db.query(
    `update sessions set second_factor_at = second_factor_at - $1::float8 * interval '1 minute',
       confirmed_at = confirmed_at - $1::float8 * interval '1 minute'`,
    [minutes],
  )
/** With the link of the last change that this address was told of. */
async function undoLast(email: string) {
  const rows = await app.db.query<{ body: string }>(
    'select body from outbox where recipient = $1 order by id',
    [email],
  )
  const links = rows.flatMap(({ body }) => /\/undo#([\w-]{22})/.exec(body)?.[1] ?? [])
  const undone = await post('/v1/auth/undo', undefined, { token: links.at(-1) })
  assert.equal(undone.status, 200, JSON.stringify(undone.body))
}
/** What the account has, as the database says it. */
async function factorsOf(id: string) {
  const [account] = await app.db.query('select mfa_method from accounts where id = $1', [id])
  const keys = await app.db.query('select id from passkeys where account_id = $1 order by id', [id])
  return [account!.mfa_method, keys.map((key) => key.id)]
}

async function add(token: string, key = softPasskey(), proof?: object) {
  const options = await begin(token, proof)
  assert.equal(options.status, 200, JSON.stringify(options.body))
  const added = await finish(token, key.create(options.body.data))
  assert.equal(added.status, 201, JSON.stringify(added.body))
  return added.body.data
}

/** Somebody with a passkey, whose session has long since shown it. */
async function withPasskey(key: SoftPasskey = softPasskey()) {
  const person = await app.signUp()
  const { id: passkeyId, recovery_codes } = await add(person.token, key)
  await ageFactors(11)
  return { ...person, key, passkeyId, recovery: recovery_codes as string[] }
}

async function withPhoneAndPasskey() {
  const person = await app.signUp()
  const phone = freshPhone()
  await post('/v1/me/phone', person.token, { phone_number: phone })
  const proof = { identifier: phone, channel: 'phone', purpose: 'verify_phone' }
  await post('/v1/auth/otp/verify', undefined, { ...proof, code: await app.lastCode(phone) })
  assert.equal((await patch(person.token, { mfa_method: 'phone' })).status, 200)
  await begin(person.token)
  const key = softPasskey()
  await add(person.token, key, { password: PASSWORD, mfa_code: await app.lastCode(phone) })
  await ageFactors(11)
  return { ...person, key, phone }
}

/** A login as far as the options for its passkey. */
async function atPasskey(email: string) {
  const challenge = await login(email)
  const options = await askLogin(challenge.challenge_id)
  assert.equal(options.status, 200, JSON.stringify(options.body))
  return { challenge, asked: options.body.data }
}

describe('adding a passkey', () => {
  it('201: turns the second factor on, with recovery codes, and is told to the owner', async () => {
    const person = await app.signUp()
    const key = softPasskey()
    const options = (await begin(person.token)).body.data
    assert.deepEqual(options.rp, { id: 'mlango.example', name: 'Mlango' })
    assert.equal(options.attestation, 'none')
    const added = await finish(person.token, key.create(options), ' Simu yangu ')
    assert.equal(added.status, 201, JSON.stringify(added.body))
    assert.equal(added.body.data.name, 'Simu yangu')
    assert.equal(added.body.data.recovery_codes.length, 10)
    const me = await app.call('GET /v1/me', { token: person.token })
    assert.equal(me.body.data.mfa_method, 'passkey')
    const mfa = { method: 'passkey', passkeys: 1, recovery_codes_left: 10 }
    assert.deepEqual(await mfaOf(person.token), mfa)
    assert.ok((await typesOf(person.id)).includes('security.passkey_added'))
    const listed = await app.call('GET /v1/me/passkeys', { token: person.token })
    assert.equal(listed.body.data.length, 1)
    assert.equal('recovery_codes' in listed.body.data[0], false)
    const again = (await begin(person.token)).body.data
    assert.deepEqual(again.excludeCredentials, [
      { type: 'public-key', id: key.id, transports: ['internal'] },
    ])
  })

  it('asks for the password, and for the second factor where one is on', async () => {
    const person = await withPasskey()
    refused(await begin(person.token, {}), 400, 'validation_error')
    refused(await begin(person.token, { password: 'wrong' }), 400, 'validation_error')
    const asked = await begin(person.token)
    refused(asked, 403, 'forbidden')
    assert.match(asked.body.message, /step-up\/passkey.*mfa_code with a recovery code/)
    const [mfa_code] = person.recovery
    assert.equal((await begin(person.token, { password: PASSWORD, mfa_code })).status, 200)
  })

  it('is not done without a challenge of this session, nor twice, nor too late', async () => {
    const person = await app.signUp()
    const other = (await login(person.email)).access_token
    const options = (await begin(person.token)).body.data
    const made = softPasskey().create(options)
    refused(await finish(other, made), 400, 'otp_expired')
    assert.equal((await finish(person.token, made)).status, 201)
    refused(await finish(person.token, made), 400, 'otp_expired')
    const late = (await begin(person.token)).body.data
    await app.db.query(`update passkey_challenges set expires_at = now()`)
    refused(await finish(person.token, softPasskey().create(late)), 400, 'otp_expired')
  })

  it('400: another page, another domain, another challenge, nobody there, a certificate', async () => {
    const person = await app.signUp()
    const certified = { fmt: 'packed', attStmt: new Map([['x5c', [Buffer.from('hostile')]]]) }
    const lies: Lies[] = [
      { origin: 'https://mlango.example.evil.test' },
      { origin: 'http://mlango.example' },
      { rpId: 'evil.test' },
      { challenge: Buffer.alloc(32).toString('base64url') },
      { type: 'webauthn.get' },
      { flags: 0x40 },
      { attestation: certified },
      { attestation: { fmt: 'fido-u2f', attStmt: new Map() } },
    ]
    for (const lie of lies) {
      const options = (await begin(person.token)).body.data
      const answer = await finish(person.token, softPasskey().create(options, lie))
      refused(answer, 400, 'otp_invalid')
      const again = await finish(person.token, softPasskey().create(options))
      refused(again, 400, 'otp_expired')
    }
    assert.equal((await mfaOf(person.token)).passkeys, 0)
    refused(await finish(person.token, { id: 'x' }), 400, 'validation_error')
  })

  it('409: a passkey of another account, and more than ten', async () => {
    const owner = await withPasskey()
    const person = await app.signUp()
    const stolen = (await begin(person.token)).body.data
    refused(await finish(person.token, owner.key.create(stolen)), 409, 'conflict')
    for (let i = 0; i < 10; i++) await add(person.token)
    refused(await begin(person.token), 409, 'conflict')
  })
})

describe('logging in with a passkey', () => {
  it('200: the challenge asks for it, and what it signs opens the session', async () => {
    const { email, key, token } = await withPasskey()
    const { challenge, asked } = await atPasskey(email)
    assert.equal(challenge.mfa_method, 'passkey')
    assert.deepEqual([challenge.channel, challenge.other_methods], ['totp', []])
    assert.deepEqual(asked.allowCredentials[0].id, key.id)
    const opened = await verify(challenge.challenge_id, key.sign(asked))
    assert.equal(opened.status, 200, JSON.stringify(opened.body))
    const session = opened.body.data.access_token
    const [listed] = (await app.call('GET /v1/me/passkeys', { token: session })).body.data
    assert.ok(listed.last_used_at)
    // It has passed the second factor; the session from before has not.
    assert.equal((await begin(session)).status, 200)
    refused(await begin(token), 403, 'forbidden')
    refused(await verify(challenge.challenge_id, key.sign(asked)), 400, 'otp_expired')
    refused(await askLogin(challenge.challenge_id), 400, 'otp_expired')
  })

  it('400: another page, domain or challenge, an unknown key, nobody there; each challenge once', async () => {
    const { email, key } = await withPasskey()
    const lies: Lies[] = [
      { origin: 'https://evil.test' },
      { rpId: 'evil.test' },
      { challenge: Buffer.alloc(32).toString('base64url') },
      { type: 'webauthn.create' },
      { flags: 0 },
      { credentialId: softPasskey().id },
    ]
    for (const lie of lies) {
      const { challenge, asked } = await atPasskey(email)
      const { challenge_id } = challenge
      refused(await verify(challenge_id, key.sign(asked, lie)), 400, 'otp_invalid')
      refused(await verify(challenge_id, key.sign(asked)), 400, 'otp_expired')
    }
    const { challenge, asked } = await atPasskey(email)
    const stranger = softPasskey().sign(asked, { credentialId: key.id })
    refused(await verify(challenge.challenge_id, stranger), 400, 'otp_invalid')
  })

  it("400: another account's passkey, and what was signed for another login", async () => {
    const [asha, juma] = [await withPasskey(), await withPasskey()]
    const [a, j] = [await atPasskey(asha.email), await atPasskey(juma.email)]
    refused(await verify(j.challenge.challenge_id, asha.key.sign(j.asked)), 400, 'otp_invalid')
    const again = await askLogin(j.challenge.challenge_id)
    assert.equal(again.status, 200)
    const forAnother = juma.key.sign(a.asked)
    refused(await verify(j.challenge.challenge_id, forAnother), 400, 'otp_invalid')
    refused(await verify(a.challenge.challenge_id, forAnother), 400, 'otp_invalid')
  })

  it('400: a key whose counter goes back or stands still is a copy; 0 for ever is none', async () => {
    const { email, key, passkeyId } = await withPasskey()
    const enter = async (lies: Lies = {}) => {
      const { challenge, asked } = await atPasskey(email)
      return verify(challenge.challenge_id, key.sign(asked, lies))
    }
    assert.equal((await enter({ counter: 7 })).status, 200)
    refused(await enter({ counter: 7 }), 400, 'otp_invalid')
    refused(await enter({ counter: 3 }), 400, 'otp_invalid')
    refused(await enter({ counter: 0 }), 400, 'otp_invalid')
    assert.equal((await enter({ counter: 8 })).status, 200)
    // Nor do two at once, which both have read the count from before.
    const late = { id: passkeyId, counter: 8, backedUp: false }
    assert.equal(await usePasskey(app.db, late), false)
    const shared = await withPasskey(softPasskey({ counts: false }))
    for (let i = 0; i < 2; i++) {
      const { challenge, asked } = await atPasskey(shared.email)
      assert.equal((await verify(challenge.challenge_id, shared.key.sign(asked))).status, 200)
    }
  })

  it('200 with a recovery code in its place, which lets a lost passkey be removed', async () => {
    const { email, recovery, passkeyId } = await withPasskey()
    const { challenge_id } = await login(email)
    const body = { identifier: email, channel: 'totp', purpose: 'login_mfa', challenge_id }
    const six = await post('/v1/auth/otp/verify', undefined, { ...body, code: '123456' })
    refused(six, 400, 'otp_invalid')
    const opened = await post('/v1/auth/otp/verify', undefined, { ...body, code: recovery[0] })
    assert.equal(opened.status, 200, JSON.stringify(opened.body))
    const session = opened.body.data.access_token
    assert.equal((await remove(session, passkeyId)).status, 200)
    const off = { method: 'none', passkeys: 0, recovery_codes_left: 0 }
    assert.deepEqual(await mfaOf(session), off)
    assert.ok('access_token' in (await login(email)))
  })

  it('400 after ten minutes, for a challenge that never was, and once it was answered otherwise', async () => {
    const { email, recovery, key } = await withPasskey()
    refused(await askLogin('01890000-0000-7000-8000-000000000000'), 400, 'otp_expired')
    const { challenge, asked } = await atPasskey(email)
    const { challenge_id } = challenge
    const body = { identifier: email, channel: 'totp', purpose: 'login_mfa', challenge_id }
    await post('/v1/auth/otp/verify', undefined, { ...body, code: recovery[1] })
    refused(await verify(challenge_id, key.sign(asked)), 400, 'otp_expired')
    const late = await atPasskey(email)
    await ageCodes(app.db, 601)
    refused(await verify(late.challenge.challenge_id, key.sign(late.asked)), 400, 'otp_expired')
  })
})

describe('a passkey beside another method', () => {
  it('is asked for, and a code of the authenticator does as well', async () => {
    const person = await app.signUp()
    const { secret } = (await patch(person.token, { mfa_method: 'totp' })).body.data.totp
    const code = () => {
      clock.push(30_000)
      return totpAt(fromBase32(secret), Math.floor(clock.now().getTime() / 30_000))
    }
    const enrolled = await patch(person.token, { totp_code: code() })
    assert.equal(enrolled.body.data.recovery_codes.length, 10)
    const key = softPasskey()
    const added = await add(person.token, key)
    assert.equal(added.recovery_codes, undefined, 'the ones from before go on')
    const challenge = await login(person.email)
    assert.deepEqual(
      [challenge.mfa_method, challenge.other_methods, challenge.channel],
      ['passkey', ['totp'], 'totp'],
    )
    const { challenge_id } = challenge
    const body = { identifier: person.email, channel: 'totp', purpose: 'login_mfa', challenge_id }
    const opened = await post('/v1/auth/otp/verify', undefined, { ...body, code: code() })
    const token = opened.body.data.access_token
    refused(await patch(token, { mfa_method: 'none' }), 400, 'validation_error')
    assert.equal((await patch(token, { mfa_method: 'passkey' })).body.data.mfa_method, 'passkey')
    assert.deepEqual(await mfaOf(token), {
      method: 'passkey',
      passkeys: 1,
      recovery_codes_left: 10,
    })
    const after = await atPasskey(person.email)
    const back = await verify(after.challenge.challenge_id, key.sign(after.asked))
    assert.equal(back.status, 200)
  })

  it('sends no SMS before one is asked for; then the code opens the session', async () => {
    const { email, phone } = await withPhoneAndPasskey()
    const sms = async () =>
      (await app.db.query('select 1 from outbox where recipient = $1', [phone])).length
    const before = await sms()
    const challenge = await login(email)
    assert.deepEqual(
      [challenge.mfa_method, challenge.other_methods, challenge.channel],
      ['passkey', ['phone'], 'phone'],
    )
    assert.equal(await sms(), before)
    const { challenge_id } = challenge
    const body = { identifier: email, channel: 'phone', purpose: 'login_mfa', challenge_id }
    assert.equal((await post('/v1/auth/otp/resend', undefined, body)).status, 200)
    assert.equal(await sms(), before + 1)
    const code = await app.lastCode(phone)
    const opened = await post('/v1/auth/otp/verify', undefined, { ...body, code })
    assert.equal(opened.status, 200, JSON.stringify(opened.body))
  })

  it('is not removed, joined or replaced by whoever reads the messages', async () => {
    const { email, phone, key } = await withPhoneAndPasskey()
    const { challenge_id } = await login(email)
    const body = { identifier: email, channel: 'phone', purpose: 'login_mfa', challenge_id }
    await post('/v1/auth/otp/resend', undefined, body)
    const code = await app.lastCode(phone)
    const opened = await post('/v1/auth/otp/verify', undefined, { ...body, code })
    const token = opened.body.data.access_token
    const [passkey] = (await app.call('GET /v1/me/passkeys', { token })).body.data
    for (const change of [
      () => remove(token, passkey.id),
      () => begin(token),
      () => patch(token, { recovery_codes: true }),
      () => patch(token, { mfa_method: 'totp' }),
    ]) {
      const answer = await change()
      refused(answer, 403, 'forbidden')
      assert.doesNotMatch(answer.body.message, /we sent/)
    }
    const asked = (await post('/v1/auth/step-up/passkey/options', token)).body.data
    const shown = await post('/v1/auth/step-up/passkey', token, { credential: key.sign(asked) })
    assert.equal(shown.status, 200, JSON.stringify(shown.body))
    assert.equal((await remove(token, passkey.id)).status, 200)
    assert.deepEqual(await mfaOf(token), { method: 'phone', passkeys: 0, recovery_codes_left: 10 })
  })

  it('cannot be chosen alone without one', async () => {
    const { token } = await app.signUp()
    refused(await patch(token, { mfa_method: 'passkey' }), 400, 'validation_error')
    refused(await post('/v1/auth/step-up/passkey/options', token), 403, 'forbidden')
  })
})

describe('showing a passkey again', () => {
  it('serves what asks for the second factor, in this session, once', async () => {
    const { token, email, key, passkeyId } = await withPasskey()
    const { challenge, asked: atLogin } = await atPasskey(email)
    const other = (await verify(challenge.challenge_id, key.sign(atLogin))).body.data.access_token
    await ageFactors(11)
    refused(await remove(token, passkeyId, {}), 400, 'validation_error')
    refused(await remove(token, passkeyId), 403, 'forbidden')
    const asked = (await post('/v1/auth/step-up/passkey/options', token)).body.data
    const credential = key.sign(asked)
    refused(await post('/v1/auth/step-up/passkey', other, { credential }), 400, 'otp_expired')
    assert.equal((await post('/v1/auth/step-up/passkey', token, { credential })).status, 200)
    refused(await post('/v1/auth/step-up/passkey', token, { credential }), 400, 'otp_expired')
    refused(await remove(other, passkeyId), 403, 'forbidden')
    assert.equal((await remove(token, passkeyId)).status, 200)
    refused(await remove(token, passkeyId), 404, 'not_found')
  })

  it('adds no passkey, as what is signed to add one shows none; nor does a code without an app', async () => {
    const { token, key, recovery } = await withPasskey()
    const asked = (await post('/v1/auth/step-up/passkey/options', token)).body.data
    refused(await finish(token, key.create(asked)), 400, 'otp_expired')
    const proof = { password: PASSWORD, mfa_code: recovery[0] }
    const toAdd = (await begin(token, proof)).body.data
    const credential = key.sign({ ...toAdd, rpId: toAdd.rp.id })
    refused(await post('/v1/auth/step-up/passkey', token, { credential }), 400, 'otp_invalid')
    refused(await post('/v1/auth/step-up', token, { code: '123456' }), 403, 'forbidden')
  })
})

describe('a passkey in the list', () => {
  it('is renamed and removed by its owner only', async () => {
    const [asha, juma] = [await withPasskey(), await withPasskey()]
    const rename = (token: string, name: string) =>
      app.call(`PATCH /v1/me/passkeys/${asha.passkeyId}`, { token, body: { name } })
    refused(await rename(juma.token, 'Mine'), 404, 'not_found')
    const proof = { password: PASSWORD, mfa_code: juma.recovery[0] }
    refused(await remove(juma.token, asha.passkeyId, proof), 404, 'not_found')
    refused(await rename(asha.token, ''), 400, 'validation_error')
    const renamed = await rename(asha.token, 'Kompyuta')
    assert.equal(renamed.body.data.name, 'Kompyuta')
    assert.equal((await mfaOf(asha.token)).passkeys, 1)
  })

  it('goes with the account when that is erased', async () => {
    const { token, id } = await withPasskey()
    await app.call('DELETE /v1/me', { token, body: { password: PASSWORD } })
    await app.db.query(
      `update accounts set deleted_at = now() - interval '31 days' where id = $1`,
      [id],
    )
    await eraseDeletedAccounts(app.db, { most: 100, erasures: [] })
    const left = await app.db.query('select 1 from passkeys where account_id = $1', [id])
    assert.equal(left.length, 0)
  })
})

describe('the link that undoes a change', () => {
  it('takes away the passkey that was added, and what it turned on', async () => {
    const person = await app.signUp()
    await add(person.token)
    await undoLast(person.email)
    assert.deepEqual(await factorsOf(person.id), ['none', []])
    const codes = await app.db.query('select 1 from recovery_codes where account_id = $1', [
      person.id,
    ])
    assert.equal(codes.length, 0)
  })

  it('brings back the one that was removed, whoever has put its id elsewhere since', async () => {
    const { token, id, email, key, passkeyId, recovery } = await withPasskey()
    const proof = { password: PASSWORD, mfa_code: recovery[0] }
    assert.equal((await remove(token, passkeyId, proof)).status, 200)
    const thief = await app.signUp()
    await add(thief.token, key)
    await undoLast(email)
    assert.deepEqual(await factorsOf(id), ['passkey', [passkeyId]])
    assert.deepEqual(await factorsOf(thief.id), ['passkey', []])
  })

  it('leaves the count of a passkey that stayed as it is', async () => {
    const { token, id, email, passkeyId, recovery } = await withPasskey()
    await add(token, softPasskey(), { password: PASSWORD, mfa_code: recovery[0] })
    assert.equal(await usePasskey(app.db, { id: passkeyId, counter: 9, backedUp: false }), true)
    await undoLast(email)
    assert.deepEqual(await factorsOf(id), ['passkey', [passkeyId]])
    const copy = { id: passkeyId, counter: 9, backedUp: false }
    assert.equal(await usePasskey(app.db, copy), false)
  })
})
