import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { HoldOwner, Outcome } from '../../src/ledger/commands.ts'
import { startHeartbeat } from '../../src/ledger/heartbeat-store.ts'
import type { Hold } from '../../src/ledger/ledger.ts'
import { applyCommands } from '../../src/ledger/ledger-store.ts'
import type { Db, Tx } from '../../src/db/db.ts'
import { sweeper } from '../../src/ledger/sweeper.ts'
import { silentLog } from '../../src/lib/log.ts'
import { assertAudit } from '../support/money/audit.ts'
import { NOBODY } from '../support/money/billing.ts'
import { withDatabase } from '../support/databases.ts'

withDatabase('sweeper', (open) => {
  let db: Db
  before(async () => {
    db = await open()
    await db.script('create table swept (hold_id uuid)')
  })
  after(() => assertAudit(db))

  const never = new AbortController().signal
  const recordSwept = async (tx: Tx, holds: Hold[]) => {
    for (const { holdId } of holds) await tx.query('insert into swept values ($1)', [holdId])
  }
  const job = (claimed: string[] = []) =>
    sweeper({
      db,
      log: silentLog,
      onReleased: recordSwept,
      own: NOBODY,
      claimed: async () => new Set(claimed),
    })

  test('the hold of a dead process is released once, by any number of sweepers', async () => {
    const { accountId, holdId } = await holdOf({ process: await deadProcess() })
    await age(holdId)
    await Promise.all([job().run(never), job().run(never), job().run(never)])
    assert.deepEqual(await sums(accountId), { balance_micro: 100n, held_micro: 0n })
    assert.equal(await timesSwept(holdId), 1)
  })

  test('a hold that several sweepers found at the same moment is released once', async () => {
    const deadline = new Date(Date.now() - 1_000)
    const { accountId, holdId } = await holdOf({ job: 'gone', deadline })
    let waiting = 3
    const allFound = Promise.withResolvers<void>()
    const claimed = async () => {
      if (--waiting === 0) allFound.resolve()
      await allFound.promise
      return new Set<string>()
    }
    const meeting = () =>
      sweeper({ db, log: silentLog, onReleased: recordSwept, own: NOBODY, claimed })
    await Promise.all([meeting().run(never), meeting().run(never), meeting().run(never)])
    assert.deepEqual(await sums(accountId), { balance_micro: 100n, held_micro: 0n })
    assert.equal(await timesSwept(holdId), 1)
  })

  test('an owner that wakes after the sweep settles nothing', async () => {
    const processId = await deadProcess()
    const { accountId, holdId } = await holdOf({ process: processId })
    await age(holdId)
    await job().run(never)
    await startHeartbeat(db, processId)
    assert.deepEqual(await settle(accountId, holdId), { kind: 'gone' })
    assert.deepEqual(await sums(accountId), { balance_micro: 100n, held_micro: 0n })
  })

  test('a process that was never seen is dead, but not before its hold is old', async () => {
    const { holdId } = await holdOf({ process: randomUUID() })
    await job().run(never)
    assert.equal(await timesSwept(holdId), 0)
    await age(holdId)
    await job().run(never)
    assert.equal(await timesSwept(holdId), 1)
  })

  test('the old hold of a living process stays', async () => {
    const processId = randomUUID()
    const heartbeat = await startHeartbeat(db, processId)
    const { accountId, holdId } = await holdOf({ process: processId })
    await age(holdId)
    await heartbeat.run(never)
    await job().run(never)
    assert.equal((await settle(accountId, holdId)).kind, 'settled')
    await heartbeat.leave()
    assert.deepEqual(await db.query('select 1 from processes where id = $1', [processId]), [])
  })

  test('the hold of a job stays until its deadline, and longer while the job claims it', async () => {
    const running = await holdOf({ job: 'running', deadline: new Date(Date.now() + 60_000) })
    const claimed = await holdOf({ job: 'claimed', deadline: new Date(Date.now() - 1_000) })
    const orphan = await holdOf({ job: 'orphan', deadline: new Date(Date.now() - 1_000) })
    await job([claimed.holdId]).run(never)
    assert.equal(await timesSwept(running.holdId), 0)
    assert.equal(await timesSwept(claimed.holdId), 0)
    assert.equal(await timesSwept(orphan.holdId), 1)
    const deadline = new Date(Date.now() + 60_000)
    const { accountId, holdId } = claimed
    await db.begin((tx) => applyCommands(tx, [{ kind: 'renew', accountId, holdId, deadline }]))
    await job().run(never)
    assert.equal((await settle(accountId, holdId)).kind, 'settled')
  })

  test('when the record of one hold cannot be written, the others are still released', async () => {
    const process = await deadProcess()
    const good = await holdOf({ process })
    const bad = await holdOf({ process })
    for (const { holdId } of [good, bad]) await age(holdId)
    const picky = sweeper({
      db,
      log: silentLog,
      async onReleased(tx, holds) {
        if (holds.some((hold) => hold.holdId === bad.holdId)) throw new Error('no record')
        await recordSwept(tx, holds)
      },
      own: NOBODY,
      claimed: async () => new Set(),
    })
    await assert.rejects(picky.run(never), /no record/)
    assert.equal(await timesSwept(good.holdId), 1)
    assert.deepEqual(await sums(bad.accountId), { balance_micro: 100n, held_micro: 40n })
    await job().run(never)
    assert.deepEqual(await sums(bad.accountId), { balance_micro: 100n, held_micro: 0n })
  })

  async function deadProcess(): Promise<string> {
    const id = randomUUID()
    await db.query(
      `insert into processes values ($1, now() - interval '1 hour', now() - interval '21 s')`,
      [id],
    )
    return id
  }

  async function holdOf(owner: HoldOwner): Promise<{ accountId: string; holdId: string }> {
    const accountId = randomUUID()
    const holdId = randomUUID()
    const entry = { id: randomUUID(), type: 'topup', key: randomUUID(), description: '' } as const
    const amounts = { estimateMicro: 40n, minimumMicro: 0n }
    await db.begin((tx) =>
      applyCommands(tx, [
        { kind: 'grant', accountId, amountMicro: 100n, entry },
        { kind: 'hold', accountId, holdId, ...amounts, owner, about: {} },
      ]),
    )
    return { accountId, holdId }
  }

  async function age(holdId: string): Promise<void> {
    await db.query(`update holds set created_at = now() - interval '21 s' where id = $1`, [holdId])
  }

  async function settle(accountId: string, holdId: string): Promise<Outcome> {
    const entry = { id: randomUUID(), type: 'usage', key: randomUUID(), description: '' } as const
    const charges = [{ costMicro: 10n, entry }]
    const [outcome] = await db.begin((tx) =>
      applyCommands(tx, [{ kind: 'settle', accountId, holdId, charges }]),
    )
    return outcome!
  }

  async function sums(accountId: string) {
    const sql = 'select balance_micro, held_micro from ledger_accounts where account_id = $1'
    return (await db.query(sql, [accountId]))[0]
  }

  async function timesSwept(holdId: string): Promise<number> {
    return (await db.query('select 1 from swept where hold_id = $1', [holdId])).length
  }
})
