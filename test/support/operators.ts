import assert from 'node:assert/strict'
import { commandActor } from '../../src/operators/actor.ts'
import { addOperator } from '../../src/operators/operators.ts'
import { totpAt } from '../../src/accounts/credentials/totp.ts'
import type { OperatorRole } from '../../src/accounts/principal.ts'
import { fromBase32 } from './accounts.ts'
import type { startApp } from './app.ts'

type App = Awaited<ReturnType<typeof startApp>>

export type TestOperator = Awaited<ReturnType<typeof newOperator>>

/** An operator with an authenticator, whose session has just passed it. */
export async function newOperator(app: App, role: OperatorRole) {
  const person = await app.signUp()
  return enrol(app, role, person)
}

/** The same for somebody who has an account. */
export async function enrol(
  app: App,
  role: OperatorRole,
  { token, accountId, email }: { token: string; accountId: string; email: string },
) {
  const patch = (body: object) => app.call('PATCH /v1/me', { token, body })
  const offered = await patch({ mfa_method: 'totp' })
  const secret = fromBase32(offered.body.data.totp.secret)
  const step = Math.floor(Date.now() / 30_000)
  const enrolled = await patch({ totp_code: totpAt(secret, step) })
  assert.equal(enrolled.status, 200, JSON.stringify(enrolled.body))
  const wanted = { who: accountId, role, reason: 'a test' }
  assert.ok(await addOperator(app.db, commandActor('test'), wanted))
  return {
    token,
    accountId,
    email,
    /** A code that was not used yet. */
    code: () => totpAt(secret, Math.max(step + 1, Math.floor(Date.now() / 30_000))),
    /** As if the second factor had been given a while ago. */
    grow: () =>
      app.db.query(
        `update sessions set second_factor_at = now() - interval '11 minutes'
         where account_id = $1`,
        [accountId],
      ),
  }
}
