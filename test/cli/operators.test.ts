import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { checkAuditLog } from '../../src/operators/audit-log.ts'
import type { App } from '../../src/app/app.ts'
import { runCommand } from '../../src/cli/commands.ts'
import { accountsApp, freshEmail } from '../support/accounts.ts'

const app = accountsApp()

async function mlango(...args: string[]): Promise<{ code: number; out: string }> {
  const lines: string[] = []
  const parts = { db: app.db } as unknown as App
  const code = await runCommand(args, parts, (line) => lines.push(line))
  return { code, out: lines.join('\n') }
}

const actionsOn = (id: string) =>
  app.db.query(
    `select action, operator, reason, before, after from operator_actions
     where target_id = $1 order by seq`,
    [id],
  )

describe('operators', () => {
  it('adds, changes, lists and removes, and writes it down', async () => {
    const { email, id } = await app.signUp()
    const by = ['--operator', 'neema']
    for (const weak of ['none', 'email', 'phone']) {
      await app.db.query('update accounts set mfa_method = $2 where id = $1', [id, weak])
      const refused = await mlango('operators', 'add', email, '--role', 'viewer', ...by)
      assert.equal(refused.code, 1)
      assert.match(refused.out, /no authenticator app/)
    }
    assert.deepEqual(await actionsOn(id), [])
    await app.db.query(`update accounts set mfa_method = 'totp' where id = $1`, [id])
    assert.equal((await mlango('operators', 'add', email, '--role', 'viewer', ...by)).code, 0)
    const why = ['--reason', 'promoted']
    assert.equal((await mlango('operators', 'add', id, '--role', 'owner', ...by, ...why)).code, 0)
    // Nothing changes, so nothing is written down.
    assert.equal((await mlango('operators', 'add', email, '--role', 'owner')).code, 0)
    const listed = await mlango('operators', 'list')
    assert.match(listed.out, new RegExp(`${id}  owner  ${email}  authenticator`))
    assert.equal((await mlango('operators', 'remove', email, ...by)).code, 0)
    assert.equal((await mlango('operators', 'remove', email, ...by)).code, 1)
    assert.match((await mlango('operators', 'list')).out, /^0 shown/)
    assert.deepEqual(await actionsOn(id), [
      {
        action: 'operator.add',
        operator: 'neema',
        reason: null,
        before: null,
        after: { role: 'viewer' },
      },
      {
        action: 'operator.change',
        operator: 'neema',
        reason: 'promoted',
        before: { role: 'viewer' },
        after: { role: 'owner' },
      },
      {
        action: 'operator.remove',
        operator: 'neema',
        reason: null,
        before: { role: 'owner' },
        after: null,
      },
    ])
  })

  it('refuses who is unknown or only claims an address, and what makes no sense', async () => {
    const email = freshEmail()
    await app.registerAs(email)
    assert.equal((await mlango('operators', 'add', email, '--role', 'owner')).code, 1)
    assert.equal((await mlango('operators', 'add', freshEmail(), '--role', 'owner')).code, 1)
    const king = await mlango('operators', 'add', email, '--role', 'king')
    assert.deepEqual(king, {
      code: 2,
      out: 'There is no role "king". Roles: owner, support, viewer.',
    })
    assert.equal((await mlango('operators', 'add', email)).code, 2)
    const idle = await mlango('operators', 'remove', email, '--role', 'owner')
    assert.equal(idle.code, 1)
    assert.match(idle.out, /Unknown option '--role'/)
    assert.equal((await mlango('operators', 'dance')).code, 2)
  })
})

describe('accounts', () => {
  it('suspends, reinstates, signs out and revokes, each once in the log', async () => {
    const { id, token } = await app.signUp()
    const made = await app.call('POST /v1/api-keys', { token, body: { name: 'shop' } })
    const keyId = made.body.data.id as string
    const by = ['--reason', 'abuse', '--operator', 'neema']
    assert.equal((await mlango('accounts', 'suspend', id, ...by)).code, 0)
    assert.equal((await mlango('accounts', 'suspend', id, ...by)).code, 0)
    assert.equal((await mlango('accounts', 'reinstate', id, ...by)).code, 0)
    assert.match((await mlango('accounts', 'sign-out', id, ...by)).out, /^Sessions ended: 1/)
    assert.equal((await mlango('accounts', 'revoke-key', id, keyId, ...by)).code, 0)
    assert.equal((await mlango('accounts', 'revoke-key', id, keyId, ...by)).code, 1)
    const actions = await actionsOn(id)
    assert.deepEqual(
      actions.map(({ action, reason, operator }) => [action, reason, operator]),
      ['suspend', 'restore', 'end_sessions'].map((one) => [`account.${one}`, 'abuse', 'neema']),
    )
    assert.deepEqual(
      (await actionsOn(keyId)).map(({ action }) => action),
      ['key.revoke'],
    )
    assert.equal((await checkAuditLog(app.db)).finding, undefined)
  })
})
