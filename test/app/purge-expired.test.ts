import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, beforeEach, test } from 'node:test'
import type { Accounts } from '../../src/accounts/accounts.ts'
import { findAccount, insertAccount } from '../../src/accounts/accounts-store.ts'
import { putCode } from '../../src/accounts/codes/codes-store.ts'
import { replaceRecoveryCodes } from '../../src/accounts/codes/recovery-codes-store.ts'
import { deleteAccount, restoreAccount } from '../../src/accounts/profile/deletion.ts'
import { ownerProof } from '../../src/accounts/owner-proof.ts'
import { activate, proveIdentifier } from '../../src/accounts/sessions/activation.ts'
import { openSession } from '../../src/accounts/sessions/sessions.ts'
import { linkIdentity } from '../../src/accounts/sign-in/identities-store.ts'
import { createApiKey, listApiKeys, revokeApiKey } from '../../src/accounts/workspaces/api-keys.ts'
import { readConfig } from '../../src/config.ts'
import type { Db } from '../../src/db/db.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { insertStoredResponse } from '../../src/gateway/responses/stored/stored-responses-store.ts'
import { savePreferences } from '../../src/notices/preferences-store.ts'
import { notify } from '../../src/notices/notices.ts'
import { purgeExpired } from '../../src/app/purge-expired.ts'
import { openTestAccounts } from '../support/accounts.ts'
import { assertAudit } from '../support/money/audit.ts'
import { withDatabase } from '../support/databases.ts'

withDatabase('purge-expired', (open) => {
  let db: Db
  let accounts: Accounts
  before(async () => {
    db = await open()
    accounts = await openTestAccounts(db)
  })

  const purge = () => purgeExpired({ db, config: readConfig({}) }).run(new AbortController().signal)
  const has = async (id: string) =>
    (await db.query('select 1 from accounts where id = $1', [id])).length === 1
  const age = (table: string, id: string, column: string, days: number) =>
    db.query(
      `update ${table} set ${column} = now() - make_interval(days => $2::int) where id = $1`,
      [id, days],
    )

  async function register(email: string): Promise<string> {
    const id = uuidv7()
    await insertAccount(db, { id, fullName: 'Asha', email })
    return id
  }
  async function verify(accountId: string, email: string): Promise<bigint> {
    await db.begin(async (tx) => {
      await proveIdentifier(tx, ownerProof(accountId), { channel: 'email', value: email })
      await activate(accounts, tx, { accountId, proofs: [email] })
    })
    const [row] = await db.query<{ balance: bigint }>(
      'select balance_micro as balance from ledger_accounts where account_id = $1',
      [accountId],
    )
    return row?.balance ?? 0n
  }

  let email: string
  beforeEach(() => {
    email = `${uuidv7()}@example.com`
  })

  test('a registration that nobody verified goes after a week, and can be made again', async () => {
    const [old, young] = [await register(email), await register(`x${email}`)]
    await age('accounts', old, 'created_at', 8)
    await age('accounts', young, 'created_at', 6)
    await purge()
    assert.deepEqual([await has(old), await has(young)], [false, true])
    assert.equal(await verify(await register(email), email), 100_000_000n)
    await assertAudit(db)
  })

  test('a registration stays while a code for it is on its way', async () => {
    const id = await register(email)
    await age('accounts', id, 'created_at', 8)
    const code = {
      id: uuidv7(),
      subject: randomBytes(32),
      purpose: 'verify_email' as const,
      channel: 'email' as const,
      accountId: id,
      asker: 'somebody',
      codeHmac: randomBytes(32),
      lifeS: 600,
    }
    await putCode(db, code)
    await purge()
    assert.equal(await has(id), true)
    await age('codes', code.id, 'expires_at', 0)
    await purge()
    assert.equal(await has(id), false)
  })

  test('an account that is active or suspended never goes', async () => {
    const [active, suspended] = [await register(email), await register(`x${email}`)]
    await verify(active, email)
    await db.query(`update accounts set status = 'suspended' where id = $1`, [suspended])
    for (const id of [active, suspended]) await age('accounts', id, 'created_at', 3_000)
    await purge()
    assert.deepEqual([await has(active), await has(suspended)], [true, true])
  })

  test('a deleted account stays whole until it is erased, after 30 days', async () => {
    const id = await register(email)
    await verify(id, email)
    const belongings = [
      'accounts where id = $1 and email is not null',
      'identities where account_id = $1',
      'recovery_codes where account_id = $1',
      'notification_preferences where account_id = $1',
      'notifications where account_id = $1',
      'stored_responses where account_id = $1',
    ]
    const left = async () => {
      const found = []
      for (const one of belongings) {
        if ((await db.query(`select 1 from ${one}`, [id])).length > 0) found.push(one)
      }
      return found
    }
    await linkIdentity(db, ownerProof(id), {
      issuer: 'https://issuer.example',
      subject: id,
      provider: 'Example',
    })
    await replaceRecoveryCodes(db, ownerProof(id), [randomBytes(32)])
    await savePreferences(db, id, { email: { usage: false } })
    const kept = { accountId: id, id, previousId: undefined, input: '[]', response: '{}', days: 60 }
    await insertStoredResponse(db, kept)
    await deleteAccount(accounts, id)
    await age('accounts', id, 'deleted_at', 29)
    await purge()
    assert.deepEqual(await left(), belongings)
    await age('accounts', id, 'deleted_at', 31)
    await purge()
    assert.deepEqual(await left(), [])
    assert.equal(await db.begin((tx) => restoreAccount(tx, id)), undefined)
    const [row] = await db.query('select * from accounts where id = $1', [id])
    assert.equal(JSON.stringify(row).includes(email), false)
  })

  test('of erased accounts the one that had money keeps its row; the bonus is granted once', async () => {
    const first = await register(email)
    assert.equal(await verify(first, email), 100_000_000n)
    await deleteAccount(accounts, first)
    const second = await register(email)
    assert.equal(await verify(second, email), 0n)
    await deleteAccount(accounts, second)
    await age('accounts', first, 'deleted_at', 31)
    await age('accounts', second, 'deleted_at', 31)
    await purge()
    assert.deepEqual([await has(first), await has(second)], [true, false])
    assert.equal(await verify(await register(email), email), 0n, 'the proof is still known')
    await assertAudit(db)
  })

  test('a revoked or expired key goes after its days, one in use does not', async () => {
    const accountId = await register(email)
    await verify(accountId, email)
    const make = async (name: string) => (await createApiKey(accounts, accountId, { name })).id
    const [used, young, old, expired] = [
      await make('used'),
      await make('young'),
      await make('old'),
      await make('expired'),
    ]
    for (const id of [young, old]) await revokeApiKey(accounts, { accountId, id })
    await age('api_keys', used, 'created_at', 3_000)
    await age('api_keys', young, 'revoked_at', 89)
    await age('api_keys', old, 'revoked_at', 91)
    await age('api_keys', expired, 'expires_at', 91)
    await purge()
    const page = { includeRevoked: true, limit: 10, offset: 0 }
    const { keys } = await listApiKeys(accounts, accountId, page)
    assert.deepEqual(keys.map(({ name }) => name).sort(), ['used', 'young'])
  })

  test('the hundred and first session ends the one that was unused longest', async () => {
    const id = await register(email)
    await verify(id, email)
    const account = (await findAccount(db, id))!
    const device = { address: '10.0.0.1', userAgent: 'test' }
    const opened: string[] = []
    for (let i = 0; i < 101; i++) {
      const session = await db.begin((tx) => openSession(accounts, tx, { account, device }))
      opened.push(session.id)
    }
    const live = await db.query<{ id: string }>(
      'select id from sessions where account_id = $1 and ended_at is null order by id',
      [id],
    )
    assert.deepEqual(
      live.map((row) => row.id),
      opened.slice(1).sort(),
    )
    assert.equal(await accounts.sessions.find(opened[0]!), undefined)
  })

  test('a job that has not ended never goes', async () => {
    const job = (id: string, ended: boolean) =>
      db.query(
        `insert into video_jobs (id, account_id, request_id, model, status, price_micro,
           credits_per_usd, margin, targets, request, error_code, next_look_at, deadline, updated_at)
         values ($1, $1, 'req', 'm', $2, 0, '1', '1', '[]', $3, $4, $5, now(), $6)`,
        ended
          ? [id, 'failed', null, 'generation_failed', null, new Date(0)]
          : [id, 'pending', '{}', null, new Date(0), new Date(0)],
      )
    const [ended, running] = [uuidv7(), uuidv7()]
    await job(ended, true)
    await job(running, false)
    await purge()
    const left = await db.query<{ id: string }>('select id from video_jobs')
    assert.deepEqual(left, [{ id: running }])
  })

  test('many rows go in batches, two processes at once are no trouble, locked rows are left', async () => {
    const accountId = await register(email)
    for (let i = 0; i < 4; i++) {
      await notify(db, { accountId, type: 'security.password_changed', data: {} })
    }
    await db.query(
      `insert into notifications (id, account_id, type, title, body)
       select gen_random_uuid(), $1, type, title, body from notifications, generate_series(1, 300)
       where account_id = $1`,
      [accountId],
    )
    await db.query(
      `update notifications set created_at = now() - interval '181 days'
      where account_id = $1`,
      [accountId],
    )
    const count = async () =>
      (await db.query('select 1 from notifications where account_id = $1', [accountId])).length
    assert.equal(await count(), 1_204)
    const locked = Promise.withResolvers<void>()
    const both = Promise.all([0, 1].map(() => locked.promise.then(purge)))
    await db.begin(async (tx) => {
      await tx.query(
        `select 1 from notifications where account_id = $1 order by created_at limit 10 for update`,
        [accountId],
      )
      locked.resolve()
      await both
    })
    assert.equal(await count(), 10)
    await purge()
    assert.equal(await count(), 0)
  })
})
