import assert from 'node:assert/strict'
import { it } from 'node:test'
import { putOperator } from '../../src/operators/operators-store.ts'
import type { App } from '../../src/app/app.ts'
import { runCommand } from '../../src/cli/commands.ts'
import { accountsApp, PASSWORD, refused } from '../support/accounts.ts'
import { eventually } from '../support/eventually.ts'

/* A database that was restored has everything again that was ended, revoked or used since. */

const app = accountsApp()

async function restored(...args: string[]): Promise<{ code: number; out: string }> {
  const lines: string[] = []
  const parts = { db: app.db } as unknown as App
  const code = await runCommand(['restored', ...args], parts, (line) => lines.push(line))
  return { code, out: lines.join('\n') }
}

const status = async (line: string, token: string) => (await app.call(line, { token })).status

it('asks what becomes of the keys, and does nothing before', async () => {
  const asha = await app.signUp()
  for (const args of [[], ['--keys', 'perhaps']]) {
    const { code, out } = await restored(...args)
    assert.equal(code, 1)
    assert.match(out, /--keys revoke/)
  }
  assert.equal(await status('GET /v1/me', asha.token), 200)
})

it('ends every session and every code, says what came back, and revokes the keys where it is told to', async () => {
  const asha = await app.signUp()
  await putOperator(app.db, asha.id, 'support')
  const made = await app.call('POST /v1/api-keys', { token: asha.token, body: { name: 'shop' } })
  const key = made.body.data.key as string
  await app.call('POST /v1/auth/password/forgot', { body: { identifier: asha.email } })
  const code = await app.lastCode(asha.email)

  const first = await restored('--keys', 'keep', '--operator', 'neema')
  assert.equal(first.code, 0)
  assert.match(first.out, /^Sessions ended: [12]\. Everybody signs in again\.\nAPI keys kept: 1/)
  assert.match(first.out, new RegExp(`operators: ${asha.email} \\(support\\)`))
  // Processes that are at work already are told.
  await eventually('the session is over', async () => {
    return (await status('GET /v1/me', asha.token)) === 401
  })
  const refresh = await app.call('POST /v1/auth/refresh', { body: { refresh_token: asha.refresh } })
  refused(refresh, 401, 'unauthorized')
  const reset = { identifier: asha.email, code, new_password: 'simba mweupe 77' }
  assert.equal((await app.call('POST /v1/auth/password/reset', { body: reset })).status, 400)
  // A key is let in, though this route is not for keys.
  assert.equal(await status('GET /v1/me', key), 403)

  assert.match((await restored('--keys', 'revoke')).out, /API keys revoked: 1\./)
  await eventually('the key is revoked', async () => (await status('GET /v1/me', key)) === 401)
  const body = { identifier: asha.email, password: PASSWORD }
  assert.equal((await app.call('POST /v1/auth/login', { body })).status, 200)
  const acts = await app.db.query(
    `select operator, after from operator_actions where action = 'database.restore' order by seq`,
  )
  assert.deepEqual(
    acts.map(({ operator, after }) => [operator, (after as { keys: string }).keys]),
    [
      ['neema', 'keep'],
      [acts[1]!.operator, 'revoke'],
    ],
  )
})
