import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, beforeEach, it } from 'node:test'
import { commandActor } from '../../../src/operators/actor.ts'
import { applyCommands } from '../../../src/ledger/ledger-store.ts'
import { askForAudit, auditRunner } from '../../../src/operators/accounting/audit-runs.ts'
import {
  claimRun,
  findRun,
  finishRun,
  listRuns,
  purgeAuditRuns,
} from '../../../src/operators/accounting/audit-runs-store.ts'
import type { Db, Tx } from '../../../src/db/db.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { withDatabase } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'

const RULES = 13

withDatabase('audits that operators ask for', (open) => {
  let db: Db
  const accountId = randomUUID()
  before(async () => {
    db = await open()
    const id = randomUUID()
    const entry = { id, type: 'topup', key: id, description: 'Top-up' } as const
    await db.begin((tx) =>
      applyCommands(tx, [{ kind: 'grant', accountId, amountMicro: 2_500_000n, entry }]),
    )
  })
  beforeEach(() => db.query('delete from audit_runs'))

  const ask = () => askForAudit(db, commandActor('neema'), { reason: 'end of month' })
  const read = async (id: string) => (await findRun(db, id))!
  const work = async () => {
    const job = await auditRunner({ db, log: silentLog, renewMs: 5 })
    const stopping = new AbortController()
    await job.run(stopping.signal)
    // Nothing of it is left to be woken by what the next test asks for.
    stopping.abort()
  }
  const claim = (leaseS = 60) => claimRun(db, { leaseId: randomUUID(), leaseS, mostAttempts: 3 })

  it('checks every rule and the log, and says what was checked', async () => {
    const run = await ask()
    assert.deepEqual([run.state, run.step, run.askedBy], ['waiting', 0, 'neema'])
    await work()
    const done = await read(run.id)
    assert.deepEqual([done.state, done.step, done.steps], ['done', RULES, RULES])
    assert.deepEqual([done.accounts, done.entries, done.holds], [1n, 1n, 0n])
    assert.deepEqual([done.findings, done.findingCount, done.error], [[], 0, null])
    assert.match(done.logEnd!, /^[0-9a-f]{64}$/)
    assert.ok(done.startedAt! <= done.endedAt!)
    const [acts] = await db.query<{ count: bigint }>(
      `select count(*) from operator_actions
       where action = 'books.audit' and target_id = $1 and reason = 'end of month'`,
      [run.id],
    )
    assert.equal(acts!.count, 1n)
  })

  it('finds what is wrong, in words', async () => {
    await db.query('update ledger_accounts set balance_micro = balance_micro - 1')
    const run = await ask()
    await work()
    await db.query('update ledger_accounts set balance_micro = balance_micro + 1')
    const { state, findings, findingCount } = await read(run.id)
    assert.deepEqual([state, findingCount], ['done', 1])
    assert.match(findings[0]!, new RegExp(`^Account ${accountId}: the balance is not the sum`))
  })

  it('is one at a time: whoever asks meanwhile is given the same one', async () => {
    const [first, ...others] = await Promise.all([ask(), ask(), ask()])
    assert.deepEqual(
      others.map(({ id }) => id),
      [first.id, first.id],
    )
    assert.ok(await claim())
    assert.equal((await ask()).id, first.id)
    assert.equal(await claim(), undefined)
    await assert.rejects(
      db.query(`insert into audit_runs (id, asked_by) values ($1, 'x')`, [randomUUID()]),
    )
  })

  it('says how far it is while it runs', async () => {
    const run = await ask()
    // The last rule of the ledger reads the payments: it waits for this lock, though not for long.
    const seesStep = async () => {
      await db.query('update audit_runs set attempts = 0')
      const locked = Promise.withResolvers<void>()
      const working = locked.promise.then(work)
      const step = await db.begin(async (tx) => {
        await tx.script('lock table payments in access exclusive mode')
        locked.resolve()
        return eventually('the run says a step', () => stepReached(tx, run.id))
      })
      await working
      return step >= RULES - 3
    }
    await eventually('a late step is seen', seesStep)
    while ((await read(run.id)).state === 'waiting') await work()
    assert.equal((await read(run.id)).state, 'done')
  })

  it('is taken up again when its process has died, and given up after three times', async () => {
    const run = await ask()
    const dead = (await claim(-1))!
    assert.equal((await read(run.id)).state, 'running')
    await work()
    assert.equal((await read(run.id)).state, 'done')
    // The dead process wakes up: the run is not its own any more.
    const none = { accounts: 0n, entries: 0n, holds: 0n, findings: [], logEnd: '' }
    await finishRun(db, dead, { ...none, steps: 1, findingCount: 0 })
    assert.equal((await read(run.id)).steps, RULES)

    const doomed = await ask()
    for (let times = 0; times < 3; times += 1) assert.ok(await claim(-1))
    await work()
    const { state, error, endedAt } = await read(doomed.id)
    assert.deepEqual([state, error], ['failed', 'interrupted'])
    assert.ok(endedAt)
    assert.notEqual((await ask()).id, doomed.id)
  })

  it('is left to another process by one that stops, which is no failure', async () => {
    const run = await ask()
    const stopping = new AbortController()
    const job = await auditRunner({ db, log: silentLog })
    const running = job.run(stopping.signal)
    stopping.abort()
    await running
    const left = await read(run.id)
    assert.deepEqual([left.state, left.step], ['waiting', 0])
    const [row] = await db.query('select attempts from audit_runs where id = $1', [run.id])
    assert.equal(row!.attempts, 0)
    await work()
    assert.equal((await read(run.id)).state, 'done')
  })

  it('is listed newest first and goes after a year and a month', async () => {
    const runs = []
    for (let times = 0; times < 3; times += 1) {
      runs.push((await ask()).id)
      await work()
    }
    const ids = async (before?: string) =>
      (await listRuns(db, { before, limit: 10 })).map(({ id }) => id)
    assert.deepEqual(await ids(), runs.toReversed())
    assert.deepEqual(await ids(runs[1]), [runs[0]])
    await db.query(`update audit_runs set ended_at = now() - interval '401 days' where id = $1`, [
      runs[0],
    ])
    assert.equal(await purgeAuditRuns(db, 10), 1)
    assert.deepEqual(await ids(), [runs[2], runs[1]])
  })
})

/** Of a run that waits for the last rule, or has given up waiting. */
async function stepReached(tx: Tx, id: string): Promise<number | false> {
  const [row] = await tx.read<{ step: number; attempts: number; state: string }>(
    'select step, attempts, state from audit_runs where id = $1',
    [id],
  )
  const { step, attempts, state } = row!
  return (step >= RULES - 3 || (attempts > 0 && state === 'waiting')) && step
}
