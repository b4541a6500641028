import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkAuditLog } from '../../src/operators/audit-log.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { insertMessage } from '../../src/notices/outbox-store.ts'
import { runCommand } from '../../src/cli/commands.ts'
import { assertAudit } from '../support/money/audit.ts'
import { startApp } from '../support/app.ts'

/* Every command that changes something is in the log of the operators. */

const MODEL = 'sim/hekima-mini'

let app: Awaited<ReturnType<typeof startApp>>
before(async () => {
  app = await startApp({ env: { TOPUP_REQUIRE_VERIFIED_PHONE: 'false' } })
})
after(async () => {
  await assertAudit(app.db)
  await app.close()
})

async function run(...args: string[]): Promise<string> {
  const lines: string[] = []
  const code = await runCommand(args, app.rooms, (line) => void lines.push(line))
  assert.equal(code, 0, `${args.join(' ')}: ${lines.join('\n')}`)
  return lines.join('\n')
}

const written = () =>
  app.db.query<{ action: string; operator: string; reason: string | null }>(
    'select action, operator, reason from operator_actions order by seq',
  )

test('what commands do is written down, with name and reason; what only reads is not', async () => {
  const asha = await app.customer('10')
  const [key] = await app.db.query<{ id: string }>(
    'select id from api_keys where account_id = $1',
    [asha.accountId],
  )
  const { accountId: id } = asha
  const payment = await pay(asha)
  const message = await undelivered()
  const changes: [actions: string[], args: string[]][] = [
    [['account.adjust'], ['accounts', 'adjust', id, '+5']],
    [['key.revoke'], ['accounts', 'revoke-key', id, key!.id]],
    [['account.end_sessions'], ['accounts', 'sign-out', id]],
    [['account.suspend'], ['accounts', 'suspend', id]],
    [['account.restore'], ['accounts', 'reinstate', id]],
    [['operator.add'], ['operators', 'add', id, '--role', 'viewer']],
    [['operator.remove'], ['operators', 'remove', id]],
    [['catalog.sync'], ['catalog', 'sync']],
    [['model.disable'], ['catalog', 'disable', MODEL]],
    [
      ['model.try', 'model.tried'],
      ['models', 'try', MODEL],
    ],
    [['model.enable'], ['catalog', 'enable', MODEL]],
    [['model.margin'], ['catalog', 'margin', MODEL, '1.5']],
    [['modality.margin'], ['catalog', 'margin', 'text', '1.5', '--modality']],
    [['upstream.drain'], ['upstreams', 'drain', 'sim']],
    [['upstream.undrain'], ['upstreams', 'undrain', 'sim']],
    [
      ['keys.rotate', 'keys.rotated'],
      ['keys', 'rotate'],
    ],
    [['keys.forget'], ['keys', 'forget']],
    [['payment.check'], ['payments', 'check', payment]],
    [['message.resend'], ['outbox', 'resend', message]],
  ]
  for (const [actions, args] of changes) {
    const before = (await written()).length
    await run(...args, '--operator', 'neema', '--reason', 'a test')
    const rows = (await written()).slice(before)
    assert.deepEqual(
      rows.map((one) => one.action),
      actions,
      args.join(' '),
    )
    for (const { operator } of rows) assert.equal(operator, 'neema', args.join(' '))
    assert.equal(rows[0]!.reason, 'a test', args.join(' '))
  }
  const before = await written()
  for (const args of [
    ['accounts', 'show', id],
    ['payments', 'list'],
    ['catalog', 'diff'],
    ['catalog', 'prices', MODEL],
    ['upstreams', 'list'],
    ['outbox', 'list'],
    ['operators', 'list'],
    ['audit'],
  ]) {
    await run(...args)
  }
  assert.deepEqual(await written(), before)
  assert.equal((await checkAuditLog(app.db)).finding, undefined)
})

async function pay({ token, accountId }: { token: string; accountId: string }): Promise<string> {
  await app.db.query(`update accounts set phone_number = '+255711230015' where id = $1`, [
    accountId,
  ])
  const body = { amount_tzs: 5_000 }
  const made = await app.call('POST /v1/payments/topup', { token, body })
  assert.ok(made.status < 300, JSON.stringify(made.body))
  return made.body.data.id
}

async function undelivered(): Promise<string> {
  const id = uuidv7()
  const letter = { channel: 'email' as const, to: 'asha@example.com', subject: 'S', text: 'T' }
  // Not to be sent meanwhile: it is dead when it is committed.
  await app.db.begin(async (tx) => {
    await insertMessage(tx, { id, ...letter })
    await tx.query(`update outbox set state = 'dead' where id = $1`, [id])
  })
  return id
}
