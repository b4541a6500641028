import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findStanding, putOperator } from '../../../src/operators/operators-store.ts'
import { accountsApp, PASSWORD, refused, testClock } from '../../support/accounts.ts'

const clock = testClock()
const app = accountsApp(clock)

type Session = { token: string; refresh: string; id: string; email: string }

/** As if every session of the account had been opened so many minutes earlier. */
async function age({ id }: Session, minutes: number): Promise<void> {
  await app.db.query(
    `update sessions set created_at = created_at - $2::float8 * interval '1 minute'
     where account_id = $1`,
    [id, minutes],
  )
  // Processes remember for ten seconds whose a session is.
  clock.push(11_000)
}
const me = ({ token }: Session) => app.call('GET /v1/me', { token })
const exchange = (refresh_token: string) =>
  app.call('POST /v1/auth/refresh', { body: { refresh_token } })
const logIn = (email: string) =>
  app.call('POST /v1/auth/login', { body: { identifier: email, password: PASSWORD } })

async function operator(): Promise<Session> {
  const person = await app.signUp()
  await putOperator(app.db, person.id, 'support')
  return person
}

describe("a session of an operator's", () => {
  it('ends twelve hours after the sign-in, however often it was refreshed', async () => {
    const person = await operator()
    await age(person, 12 * 60 - 5)
    assert.equal((await me(person)).status, 200)
    const next = await exchange(person.refresh)
    assert.equal(next.status, 200, JSON.stringify(next.body))
    const { access_token: token, refresh_token, refresh_expires_in } = next.body.data
    assert.ok(refresh_expires_in <= 5 * 60, `${refresh_expires_in} s are said to be left`)
    await age(person, 6)
    refused(await exchange(refresh_token), 401, 'unauthorized')
    refused(await me({ ...person, token }), 401, 'unauthorized')
    const again = await logIn(person.email)
    assert.equal(again.status, 200)
    assert.ok(again.body.data.refresh_expires_in <= 12 * 3600)
    const listed = await app.call('GET /v1/me/sessions', { token: again.body.data.access_token })
    assert.equal(listed.body.data.length, 1, 'the one before is over')
  })

  it('admits to nothing of the operators after that, whatever was remembered of it', async () => {
    const person = await operator()
    const [session] = await app.db.query<{ id: string }>(
      'select id from sessions where account_id = $1',
      [person.id],
    )
    const caller = { accountId: person.id, sessionId: session!.id }
    assert.ok(await findStanding(app.db, caller))
    await age(person, 12 * 60 + 1)
    assert.equal(await findStanding(app.db, caller), undefined)
  })

  it('ends when a customer of long standing becomes one', async () => {
    const person = await app.signUp()
    await age(person, 13 * 60)
    assert.equal((await me(person)).status, 200, 'a customer stays signed in')
    await putOperator(app.db, person.id, 'viewer')
    clock.push(11_000)
    refused(await me(person), 401, 'unauthorized')
    refused(await exchange(person.refresh), 401, 'unauthorized')
  })
})
