import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { checkAuditLog } from '../../src/operators/audit-log.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { insertMessage } from '../../src/notices/outbox-store.ts'
import { withAppBeside } from '../../src/app/beside.ts'
import { runCommand, USAGE } from '../../src/cli/commands.ts'
import { readConfig } from '../../src/config.ts'
import { silentLog } from '../../src/lib/log.ts'
import { freshDatabase } from '../support/databases.ts'
import { assertAudit } from '../support/money/audit.ts'
import { startApp } from '../support/app.ts'
import { eventually } from '../support/eventually.ts'

/* What commands write beside a running service: their log, and never the catalog by the way. */

const MODEL = 'sim/hekima-mini'

let app: Awaited<ReturnType<typeof startApp>>
let databaseUrl: string
before(async () => {
  databaseUrl = await freshDatabase()
  app = await startApp({ databaseUrl, env: { TOPUP_REQUIRE_VERIFIED_PHONE: 'false' } })
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

test('what commands do is written down, with name and reason; of what only reads, what shows a customer', async () => {
  const asha = await app.customer('10')
  const [key] = await app.db.query<{ id: string }>(
    'select id from api_keys where account_id = $1',
    [asha.accountId],
  )
  const { accountId: id } = asha
  await app.db.query(`update accounts set mfa_method = 'totp' where id = $1`, [id])
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
    ['catalog', 'diff'],
    ['catalog', 'prices', MODEL],
    ['upstreams', 'list'],
    ['operators', 'list'],
    ['audit'],
  ]) {
    await run(...args)
  }
  assert.deepEqual(await written(), before)
  // What shows a customer is there too, once an hour.
  for (let times = 0; times < 2; times++) {
    await run('accounts', 'show', id)
    await run('payments', 'list')
    await run('outbox', 'list')
  }
  assert.deepEqual(
    (await written()).slice(before.length).map((one) => one.action),
    ['read.account', 'read.payments', 'read.messages'],
  )
  assert.equal((await checkAuditLog(app.db)).finding, undefined)
})

const NOBODY = '01900000-0000-7000-8000-000000000001'
/** Every command line of the help that does not sync; what they answer is not the point here. */
const BESIDE = [
  'accounts show a@example.com',
  `accounts suspend ${NOBODY}`,
  `accounts reinstate ${NOBODY}`,
  `accounts restore ${NOBODY}`,
  `accounts sign-out ${NOBODY}`,
  `accounts revoke-key ${NOBODY} ${NOBODY}`,
  `accounts adjust ${NOBODY} 5 --reason test --operator neema`,
  'payments list',
  `payments reviewed ${NOBODY} --operator neema`,
  `payments check ${NOBODY}`,
  'payments reconcile none.csv --from 2026-11-01 --to 2026-11-02',
  'catalog diff',
  'catalog approve --all',
  `catalog disable ${MODEL}`,
  `catalog enable ${MODEL}`,
  `catalog margin ${MODEL} 1.75`,
  'catalog margin text none --modality',
  `catalog prices ${MODEL}`,
  `models try ${MODEL}`,
  'upstreams list',
  'upstreams drain other',
  'upstreams undrain other',
  'outbox list',
  `outbox resend ${NOBODY}`,
  'webhooks list',
  'webhooks add http://127.0.0.1:9/ --events all',
  `webhooks change ${NOBODY} --enabled off`,
  `webhooks rotate ${NOBODY}`,
  `webhooks remove ${NOBODY}`,
  `webhooks deliveries ${NOBODY}`,
  `webhooks replay ${NOBODY} ${NOBODY}`,
  'keys rotate',
  'keys forget',
  `operators add ${NOBODY} --role viewer`,
  `operators remove ${NOBODY}`,
  'operators list',
  'export ledger --month 2026-10 --out /dev/null',
  'fx set 2026-11-01 2500',
  'fx list',
  'audit',
]

test('with other settings no command but "catalog sync" changes what the service offers', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'mlango-beside-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'upstreams.json')
  const other = { name: 'other', type: 'openai', base_url: 'http://127.0.0.1:9/v1', models: [] }
  await writeFile(file, JSON.stringify({ upstreams: [{ ...other, api_key_env: 'OTHER_KEY' }] }))
  const env = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    MASTER_KEY: app.rooms.masterKey,
    UPSTREAMS_FILE: file,
    OTHER_KEY: 'other',
    PAYMENT_PROVIDER: 'simulator',
    ALLOW_SIMULATED_PAYMENTS: 'true',
    PRICE_MARGIN: '3',
    USD_TO_CREDIT_RATE: '1',
  }
  const beside = { config: readConfig(env), env, log: silentLog }
  const asha = await app.customer('10')
  const before = await catalogRows()
  await withAppBeside(beside, async (rooms) => {
    assert.deepEqual(await catalogRows(), before, 'the start of a command')
    for (const line of BESIDE) {
      await runCommand(line.split(' '), rooms, () => {})
      if (line.startsWith('catalog disable')) continue
      assert.deepEqual(await catalogRows(), before, line)
      if (line.startsWith('catalog enable')) await served(asha.key)
      assert.equal(await answered(asha.key), 200, line)
    }
  })
  for (const [, command] of USAGE.matchAll(/^ {2}([a-z]+ [a-z-]+|audit)(?= |$)/gm)) {
    if (/^(catalog sync|backup|restore|doctor)/.test(command!)) continue
    assert.ok(
      BESIDE.some((line) => line.startsWith(command!)),
      command,
    )
  }
  // The one that may: from here on nobody offers the model.
  await withAppBeside(beside, (rooms) =>
    runCommand(['catalog', 'sync', '--believe'], rooms, () => {}),
  )
  assert.notDeepEqual(await catalogRows(), before)
  await run('catalog', 'sync')
})

const answered = async (token: string) =>
  (await app.call(`GET /v1/models/${MODEL}`, { token })).status

const served = (token: string) =>
  eventually(`${MODEL} is on again`, async () => (await answered(token)) === 200)

/** Every row of the catalog, as the database writes it. */
async function catalogRows(): Promise<unknown[]> {
  const tables = ['catalog_models', 'catalog_offers', 'price_snapshots', 'pending_prices']
  const rows = [...tables, 'margins', 'catalog_sync'].map((table) =>
    app.db.query(`select '${table}' as "table", one::text from ${table} as one order by 2`),
  )
  return (await Promise.all(rows)).flat()
}

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
