import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bearerOf } from '../../src/accounts/authenticator.ts'
import type { OperatorNeed, SessionPrincipal } from '../../src/accounts/principal.ts'
import { Failure } from '../../src/lib/failure.ts'
import { createGate } from '../../src/operators/gate.ts'
import { putOperator } from '../../src/operators/operators-store.ts'
import { accountsApp, freshPhone, PASSWORD } from '../support/accounts.ts'
import { PASSKEY_PAGE, softPasskey } from '../support/peers/passkey.ts'

const app = accountsApp(undefined, { PUBLIC_URL: PASSKEY_PAGE })

const post = async (path: string, token: string | undefined, body?: object) => {
  const answer = await app.call(`POST ${path}`, { token, body })
  assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`)
  return answer.body.data
}

/** What the gate says to this access token: it lets it in, or which kind of refusal it is. */
async function atGate(token: string, proof: OperatorNeed['proof'] = 'fresh'): Promise<string> {
  const claims = await app.accounts.signer.verify(bearerOf(`Bearer ${token}`)!)
  assert.ok(claims && claims !== 'expired')
  const { accountId, sessionId } = claims
  const principal: SessionPrincipal = { kind: 'jwt', accountId, sessionId, role: 'user' }
  const gate = createGate({ db: app.db, networks: undefined, refused: () => {} })
  const asked = { address: '127.0.0.1', requestId: 'req_1', route: 'x', foreignHost: false }
  try {
    const admitted = await gate.admit(principal, asked, { role: 'viewer', proof })
    return admitted ? 'in' : 'nothing here'
  } catch (error) {
    if (error instanceof Failure) return error.kind
    throw error
  }
}

async function operator() {
  const person = await app.signUp()
  await putOperator(app.db, person.id, 'owner')
  return person
}

async function add(token: string, mfa_code?: string) {
  const key = softPasskey()
  const options = await post('/v1/me/passkeys/options', token, { password: PASSWORD, mfa_code })
  await post('/v1/me/passkeys', token, { name: 'Ofisi', credential: key.create(options) })
  return key
}

const age = (minutes: number) =>
  app.db.query(
    `update sessions set second_factor_at = second_factor_at - $1::float8 * interval '1 minute'`,
    [minutes],
  )

describe('the gate of the operators', () => {
  it('takes a passkey of the last ten minutes, and then one that is shown again', async () => {
    const { token } = await operator()
    assert.equal(await atGate(token, 'session'), 'in')
    assert.equal(await atGate(token, 'second_factor'), 'second_factor_missing')
    const key = await add(token)
    assert.equal(await atGate(token), 'in')
    await age(11)
    assert.equal(await atGate(token, 'second_factor'), 'in')
    assert.equal(await atGate(token), 'second_factor_missing')
    const asked = await post('/v1/auth/step-up/passkey/options', token)
    await post('/v1/auth/step-up/passkey', token, { credential: key.sign(asked) })
    assert.equal(await atGate(token), 'in')
  })

  it('does not take a code by SMS, whatever stands beside it in the account', async () => {
    const { token, email } = await operator()
    const phone = freshPhone()
    await post('/v1/me/phone', token, { phone_number: phone })
    const proof = { identifier: phone, channel: 'phone', purpose: 'verify_phone' }
    await post('/v1/auth/otp/verify', undefined, { ...proof, code: await app.lastCode(phone) })
    await app.call('PATCH /v1/me', { token, body: { mfa_method: 'phone' } })
    await app.call('POST /v1/me/passkeys/options', { token, body: { password: PASSWORD } })
    await add(token, await app.lastCode(phone))
    const login = { identifier: email, password: PASSWORD }
    const { challenge_id } = await post('/v1/auth/login', undefined, login)
    const body = { identifier: email, channel: 'phone', purpose: 'login_mfa', challenge_id }
    await post('/v1/auth/otp/resend', undefined, body)
    const code = await app.lastCode(phone)
    const opened = await post('/v1/auth/otp/verify', undefined, { ...body, code })
    assert.equal(await atGate(opened.access_token, 'session'), 'in')
    assert.equal(await atGate(opened.access_token, 'second_factor'), 'second_factor_missing')
    assert.equal(await atGate(token), 'in', 'the session that has added it')
  })
})
