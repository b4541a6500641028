import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, afterEach, before, beforeEach, test } from 'node:test'
import * as fc from 'fast-check'
import { applyCommands } from '../../../src/ledger/ledger-store.ts'
import type { Db, Row } from '../../../src/db/db.ts'
import { dropOf, openBill, type Bill } from '../../../src/gateway/bill/billable.ts'
import type { Billing } from '../../../src/gateway/bill/billing.ts'
import { openDoubtfulCharges } from '../../../src/gateway/bill/doubtful-charges.ts'
import type { BillLine, Dropped, Stage } from '../../../src/gateway/bill/rows.ts'
import { Failure } from '../../../src/lib/failure.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { silentLog } from '../../../src/lib/log.ts'
import type { Principal } from '../../../src/accounts/principal.ts'
import { openStoredAnswers } from '../../../src/idempotency/replay-store.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { billingOn, sweep, unwatched } from '../../support/money/billing.ts'
import { withDatabase } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'

const PAID_IN = 1_000n
const STAGE: Stage = { kind: 'chat', model: 'test/model', priceSnapshotId: undefined }
const FAILED: Dropped = {
  status: 'failed',
  errorCode: 'upstream_failed',
  stage: STAGE,
  latencyMs: 3,
}

const line = (costMicro: bigint, stage = STAGE): BillLine => ({
  stage,
  costMicro,
  latencyMs: 5,
  promptTokens: 2,
  completionTokens: 1,
  estimated: false,
})
const isFailure = (kind: string) => (error: unknown) =>
  error instanceof Failure && error.kind === kind

withDatabase('a bill', (open) => {
  let db: Db
  let dataDir: string
  let billing: Billing
  let principal: Principal

  before(async () => {
    db = await open()
    dataDir = await mkdtemp(join(tmpdir(), 'mlango-billable-'))
    const doubtfulCharges = openDoubtfulCharges({ db, dataDir, log: silentLog })
    billing = await billingOn(db, { doubtfulCharges })
  })
  after(() => rm(dataDir, { recursive: true, force: true }))
  beforeEach(async () => {
    principal = await fundedAccount()
  })
  afterEach(() => assertAgreement(db))

  async function fundedAccount(): Promise<Principal> {
    const accountId = uuidv7()
    const entry = { id: uuidv7(), type: 'topup' as const, key: uuidv7(), description: 'test' }
    const grant = { kind: 'grant' as const, accountId, amountMicro: PAID_IN, entry }
    await db.begin((tx) => applyCommands(tx, [grant]))
    return { kind: 'key', accountId, keyId: uuidv7(), workspaceId: uuidv7() }
  }

  function openOne(
    estimateMicro: bigint,
    minimumMicro = estimateMicro,
    on = billing,
    requestId = `req_${uuidv7()}`,
  ): Promise<Bill> {
    return openBill(
      on,
      unwatched({ principal, requestId, stage: STAGE, estimateMicro, minimumMicro }),
    )
  }

  test('a charge waits for the disk, a hold does not', async () => {
    await db.script(`
      create table commit_modes (what text, mode text);
      create function note_commit_mode() returns trigger language plpgsql as $$ begin
        insert into commit_modes values (tg_table_name, current_setting('synchronous_commit'));
        return null;
      end $$;
      create trigger noted after insert on holds for each row execute function note_commit_mode();
      create trigger noted after insert on ledger_entries
        for each row execute function note_commit_mode();
      create trigger closed after delete on holds for each row execute function note_commit_mode()`)
    const [settled, dropped] = await Promise.all([openOne(10n), openOne(10n)])
    await Promise.all([settled.settle([line(4n)]), dropped.drop(FAILED)])
    const modes = await db.query('select distinct what, mode from commit_modes order by what, mode')
    await db.script('drop function note_commit_mode cascade; drop table commit_modes')
    assert.deepEqual(modes, [
      { what: 'holds', mode: 'off' },
      { what: 'holds', mode: 'on' },
      { what: 'ledger_entries', mode: 'on' },
    ])
  })

  async function account(): Promise<{ balance: bigint; held: bigint }> {
    const [row] = await db.query<{ balance: bigint; held: bigint }>(
      `select balance_micro as balance, held_micro as held from ledger_accounts
       where account_id = $1`,
      [principal.accountId],
    )
    return row!
  }

  /** What the account's records say, sorted. */
  async function records(): Promise<string[]> {
    const rows = await db.query<Record<string, unknown>>(
      `select model, status, error_code, cost_micro, uncollected_micro from activity_records
       where account_id = $1`,
      [principal.accountId],
    )
    return rows
      .map((row) =>
        [row.model, row.error_code ?? row.status, row.cost_micro, row.uncollected_micro].join(' '),
      )
      .sort()
  }

  test('is settled: the hold goes, the cost is charged and recorded', async () => {
    const bill = await openOne(400n)
    assert.deepEqual(await account(), { balance: 1_000n, held: 400n })
    const receipt = await bill.settle([line(150n)])
    assert.deepEqual(receipt, { chargedMicro: 150n, remainingMicro: 850n })
    assert.deepEqual(await account(), { balance: 850n, held: 0n })
    assert.deepEqual(await records(), ['test/model completed 150 0'])
  })

  test('is dropped: the hold goes, nothing is charged, the record says why', async () => {
    const bill = await openOne(400n)
    await bill.drop(FAILED)
    assert.deepEqual(await account(), { balance: 1_000n, held: 0n })
    assert.deepEqual(await records(), ['test/model upstream_failed 0 0'])
  })

  test('holds what there is when that is enough, and nothing when it is not', async () => {
    const bill = await openOne(5_000n, 600n)
    assert.deepEqual(await account(), { balance: 1_000n, held: 1_000n })
    await assert.rejects(openOne(1n), isFailure('insufficient'))
    await bill.drop(FAILED)
    await assert.rejects(openOne(5_000n, 1_001n), isFailure('insufficient'))
    assert.deepEqual(await account(), { balance: 1_000n, held: 0n })
    assert.deepEqual(await records(), ['test/model upstream_failed 0 0'])
  })

  test('may cost more than was held, and never more than there is', async () => {
    const first = await openOne(100n)
    assert.equal((await first.settle([line(300n)])).chargedMicro, 300n)
    const second = await openOne(100n)
    const receipt = await second.settle([line(900n)])
    assert.deepEqual(receipt, { chargedMicro: 700n, remainingMicro: 0n })
    assert.deepEqual(await account(), { balance: 0n, held: 0n })
    assert.deepEqual(await records(), [
      'test/model completed 300 0',
      'test/model completed 700 200',
    ])
  })

  test('of a free model holds nothing and is recorded', async () => {
    const receipt = await (await openOne(0n)).settle([line(0n)])
    assert.deepEqual(receipt, { chargedMicro: 0n, remainingMicro: undefined })
    await (await openOne(0n)).drop({ ...FAILED, status: 'cancelled', errorCode: 'caller_left' })
    assert.deepEqual(await account(), { balance: 1_000n, held: 0n })
    assert.deepEqual(await records(), ['test/model caller_left 0 0', 'test/model completed 0 0'])
  })

  const SECOND: Stage = { kind: 'voice_text', model: 'test/second' }

  test('of several stages is charged stage by stage, as one', async () => {
    const receipt = await (await openOne(900n)).settle([line(100n), line(250n, SECOND)])
    assert.deepEqual(receipt, { chargedMicro: 350n, remainingMicro: 650n })
    assert.deepEqual(await records(), ['test/model completed 100 0', 'test/second completed 250 0'])
  })

  test('that breaks in a later stage charges the earlier ones nothing', async () => {
    const bill = await openOne(900n)
    await bill.drop({ ...FAILED, stage: SECOND, ran: [line(100n)] })
    assert.deepEqual(await account(), { balance: 1_000n, held: 0n })
    assert.deepEqual(await records(), [
      'test/model completed 0 0',
      'test/second upstream_failed 0 0',
    ])
  })

  test('whose hold was taken away charges nothing', async () => {
    const bill = await openOne(400n)
    const [hold] = await db.query<{ id: string }>('select id from holds where account_id = $1', [
      principal.accountId,
    ])
    const { accountId } = principal
    await db.begin((tx) => applyCommands(tx, [{ kind: 'release', accountId, holdId: hold!.id }]))
    await assert.rejects(bill.settle([line(150n)]), isFailure('unavailable'))
    await bill.drop(FAILED)
    assert.deepEqual(await account(), { balance: 1_000n, held: 0n })
    assert.deepEqual(await records(), ['test/model interrupted 0 0'])
  })

  async function claimKey(key: string) {
    const storedAnswers = openStoredAnswers({ db, processId: billing.processId })
    const request = { accountId: principal.accountId, key, route: 'POST /test' }
    const outcome = await storedAnswers.claim(request)
    assert.equal(outcome.state, 'claimed')
    return { claim: outcome.claim, again: () => storedAnswers.claim(request) }
  }
  const answer = (receipt: object) => ({
    status: 200,
    headers: {},
    body: JSON.stringify(receipt, (_name, value) =>
      typeof value === 'bigint' ? String(value) : (value as unknown),
    ),
  })

  test('with a key keeps its answer together with the charge', async () => {
    const { claim, again } = await claimKey('kept')
    const receipt = await (await openOne(400n)).settle([line(150n)], { claim, answer })
    const replayed = await again()
    assert.equal(replayed.state, 'stored')
    assert.equal(String(replayed.answer.body as Buffer), answer(receipt).body)
  })

  const large = (receipt: object) => {
    const small = answer(receipt)
    return { ...small, body: `${small.body}${'k'.repeat(2_000_000)}${small.body}` }
  }
  const keptBody = async (again: Awaited<ReturnType<typeof claimKey>>['again']) => {
    const replayed = await again()
    assert.equal(replayed.state, 'stored')
    return text(replayed.answer.body as Readable)
  }

  test('with a key and a large answer keeps it with what was really charged', async () => {
    const first = await claimKey('large')
    const whole = await (
      await openOne(400n)
    ).settle([line(150n)], { claim: first.claim, answer: large })
    assert.equal(whole.chargedMicro, 150n)
    assert.equal(await keptBody(first.again), large(whole).body)
    const second = await claimKey('large and poor')
    const receipt = await (
      await openOne(100n)
    ).settle([line(900n)], { claim: second.claim, answer: large })
    assert.deepEqual(receipt, { chargedMicro: 850n, remainingMicro: 0n })
    assert.equal(await keptBody(second.again), large(receipt).body)
  })

  test('whose large answer cannot be kept is not charged, and its hold is released', async () => {
    const { claim } = await claimKey('large and lost')
    const full: Db = {
      ...db,
      async query(sql, params) {
        if (sql.includes('stored_answer_pieces')) throw new Error('no room')
        return db.query(sql, params)
      },
    }
    const bill = await openOne(400n, 400n, await billingOn(full))
    await assert.rejects(bill.settle([line(150n)], { claim, answer: large }), /no room/)
    await eventually('the hold is released', isReleased)
    assert.deepEqual(await account(), { balance: 1_000n, held: 0n })
    assert.deepEqual(await records(), ['test/model interrupted 0 0'])
  })

  test('whose key was taken over is not charged, and recorded as interrupted', async () => {
    const { claim } = await claimKey('taken over')
    const bill = await openOne(400n)
    await db.query('update idempotency_keys set claim_id = $1 where claim_id = $2', [
      uuidv7(),
      claim.id,
    ])
    await assert.rejects(bill.settle([line(150n)], { claim, answer }), isFailure('unavailable'))
    assert.deepEqual(await account(), { balance: 1_000n, held: 0n })
    assert.deepEqual(await records(), ['test/model interrupted 0 0'])
  })

  /** The database, with every commit of a batch going through `around`. */
  function commitsThrough(around: <T>(commit: () => Promise<T>) => Promise<T>): Db {
    return {
      ...db,
      begin: (work, how) => around(() => db.begin(work, how)),
      query: (sql, params) =>
        sql.includes('preconditions_hold')
          ? around(() => db.query(sql, params))
          : db.query(sql, params),
    }
  }

  /** Commits go through, but the answers of those with these numbers are lost. */
  async function losingAnswers(...numbers: number[]) {
    let commits = 0
    const losing = commitsThrough(async (commit) => {
      const result = await commit()
      if (numbers.includes(++commits)) throw new Failure('unavailable', 'the answer was lost')
      return result
    })
    return { billing: await billingOn(losing), commits: () => commits }
  }
  const isReleased = async () => (await account()).held === 0n

  test('whose settlement is committed but not confirmed is charged once', async () => {
    const { billing } = await losingAnswers(2, 3)
    const bill = await openOne(400n, 400n, billing)
    const receipt = await bill.settle([line(100n), line(50n)])
    assert.deepEqual(receipt, { chargedMicro: 150n, remainingMicro: undefined })
    assert.deepEqual(await account(), { balance: 850n, held: 0n })
    assert.equal((await records()).length, 2)
  })

  test('whose hold is committed but not confirmed never opens, and the hold is released', async () => {
    const { billing } = await losingAnswers(1)
    await assert.rejects(openOne(400n, 400n, billing), isFailure('unavailable'))
    await eventually('the hold is released', isReleased)
    await billing.queue.idle()
    assert.deepEqual(await account(), { balance: 1_000n, held: 0n })
    assert.deepEqual(await records(), ['test/model upstream_unavailable 0 0'])
  })

  test('whose release is not confirmed is dropped all the same, with one record', async () => {
    const { billing, commits } = await losingAnswers(2)
    const bill = await openOne(400n, 400n, billing)
    await bill.drop(FAILED)
    // The hold, its release, and the release once more.
    await eventually('there are three commits', () => commits() >= 3)
    await billing.queue.idle()
    assert.deepEqual(await account(), { balance: 1_000n, held: 0n })
    assert.deepEqual(await records(), ['test/model upstream_failed 0 0'])
  })

  const notes = () => readdir(join(dataDir, 'doubtful-charges'))

  test('whose settlement fails is noted as a doubtful charge, and released', async () => {
    let fail = false
    const failing = commitsThrough(async (commit) => {
      if (fail) throw new Error('the settlement cannot be written')
      return commit()
    })
    const doubtfulCharges = openDoubtfulCharges({ db, dataDir, log: silentLog })
    const on = await billingOn(failing, { doubtfulCharges })
    const bill = await openOne(400n, 400n, on)
    fail = true
    await assert.rejects(bill.settle([line(150n)]), /cannot be written/)
    fail = false
    assert.equal((await notes()).length, 1)
    await eventually('the hold is released', isReleased)
    await on.queue.idle()
    await on.doubtfulCharges.giveBack()
    assert.deepEqual(await notes(), [])
    assert.deepEqual(await account(), { balance: 1_000n, held: 0n })
    assert.deepEqual(await records(), ['test/model interrupted 0 0'])
  })

  /**
   * A process that has seen the account, whose calls may cost so much unconfirmed, and whose commits
   * go through `around` from then on.
   */
  async function besideOn(
    around: <T>(commit: () => Promise<T>) => Promise<T>,
    unconfirmedCapMicro = 60n,
  ): Promise<Billing> {
    let seen = false
    const through = commitsThrough((commit) => (seen ? around(commit) : commit()))
    const doubtfulCharges = openDoubtfulCharges({ db, dataDir, log: silentLog })
    const on = await billingOn(through, { unconfirmedCapMicro, doubtfulCharges })
    await (await openOne(10n, 10n, on)).drop(FAILED)
    seen = true
    return on
  }

  /** Commits wait for `go`, which may make them fail. */
  function gate() {
    const opened = Promise.withResolvers<void>()
    const around = async <T>(commit: () => Promise<T>) => {
      await opened.promise
      return commit()
    }
    return { around, go: opened.resolve, fail: opened.reject }
  }

  test('is open before its hold is committed where the account can easily pay', async () => {
    const { around, go } = gate()
    const on = await besideOn(around)
    const bill = await openOne(10n, 10n, on)
    let confirmed = false
    const result = bill.confirm(Promise.resolve('answer')).finally(() => (confirmed = true))
    await new Promise(setImmediate)
    assert.equal(confirmed, false)
    assert.equal((await account()).held, 0n)
    go()
    assert.equal(await result, 'answer')
    assert.equal((await account()).held, 10n)
    assert.equal((await bill.settle([line(6n)])).chargedMicro, 6n)
    assert.deepEqual(await account(), { balance: 994n, held: 0n })
  })

  const FIRST: [why: string, estimateMicro: bigint, capMicro: bigint, before: bigint[]][] = [
    ['costs more than the cap', 61n, 60n, []],
    ['costs more than the cap together with another', 31n, 60n, [30n]],
    ['is more than a sixteenth of the account', 63n, 1_000n, []],
    ['is more than that together with another', 32n, 1_000n, [31n]],
  ]
  for (const [why, estimateMicro, capMicro, before] of FIRST) {
    test(`waits for its hold when it ${why}`, async () => {
      const { around, go } = gate()
      const on = await besideOn(around, capMicro)
      const earlier = await Promise.all(before.map((micro) => openOne(micro, micro, on)))
      let isOpen = false
      const opening = openOne(estimateMicro, estimateMicro, on).finally(() => (isOpen = true))
      await new Promise(setImmediate)
      assert.equal(isOpen, false)
      go()
      for (const bill of [...earlier, await opening]) await bill.drop(FAILED)
      assert.deepEqual(await account(), { balance: 1_000n, held: 0n })
    })
  }

  test('waits for its hold while the database has just failed', async () => {
    let fails = false
    const on = await besideOn(async (commit) => {
      if (fails) throw new Failure('unavailable', 'the server is away')
      return commit()
    })
    const failing = principal
    principal = await fundedAccount()
    await (await openOne(10n, 10n, on)).drop(FAILED)
    const other = principal
    principal = failing
    fails = true
    const lost = await openOne(10n, 10n, on)
    await assert.rejects(lost.confirm(Promise.resolve()), isFailure('unavailable'))
    // Any account waits, not only the one whose hold was lost.
    principal = other
    await assert.rejects(openOne(10n, 10n, on), isFailure('unavailable'))
    fails = false
  })

  test('ends its work, charges nothing and says so when its hold is refused', async () => {
    const { around, go } = gate()
    const on = await besideOn(around)
    const aborted: Failure[] = []
    const about = { principal, requestId: 'req_refused', stage: STAGE }
    const order = { ...about, estimateMicro: 10n, minimumMicro: 10n }
    const bill = await openBill(on, { ...order, abort: (reason) => void aborted.push(reason) })
    // Meanwhile another process takes all there is.
    const other = await openOne(1_000n)
    go()
    const isRefused = isFailure('insufficient')
    await assert.rejects(bill.confirm(new Promise(() => {})), isRefused)
    assert.deepEqual(aborted.map(isRefused), [true])
    await assert.rejects(bill.settle([line(6n)]), isRefused)
    await bill.drop(FAILED)
    assert.deepEqual(await account(), { balance: 1_000n, held: 1_000n })
    assert.deepEqual((await records()).slice(-1), ['test/model upstream_failed 0 0'])
    assert.equal(on.openHolds.size, 0)
    await other.drop(FAILED)
    // What the process believed of the account is forgotten with the refusal.
    const next = await openOne(10n, 10n, on)
    assert.equal((await account()).held, 10n)
    await next.drop(FAILED)
  })

  test('whose hold has no answer ends its work, and the hold goes when it can be asked for', async () => {
    let lost = 0
    const on = await besideOn(async (commit) => {
      const result = await commit()
      if (++lost === 1) throw new Failure('unavailable', 'the answer was lost')
      return result
    })
    const aborted: Failure[] = []
    const about = { principal, requestId: 'req_lost', stage: STAGE }
    const order = { ...about, estimateMicro: 10n, minimumMicro: 10n }
    const bill = await openBill(on, { ...order, abort: (reason) => void aborted.push(reason) })
    await assert.rejects(bill.confirm(Promise.resolve()), isFailure('unavailable'))
    assert.equal(aborted.length, 1)
    await bill.drop(FAILED)
    await eventually('nothing is held', async () => (await account()).held === 0n)
    await eventually('no hold is open', () => on.openHolds.size === 0)
    assert.deepEqual(await account(), { balance: 1_000n, held: 0n })
    assert.deepEqual(await records(), [
      'test/model upstream_failed 0 0',
      'test/model upstream_failed 0 0',
    ])
  })

  test('two processes cannot be played off against each other more than once', async () => {
    let release = Promise.withResolvers<void>()
    release.resolve()
    const on = await besideOn(async (commit) => {
      await release.promise
      return commit()
    })
    let lost = 0
    for (let round = 0; round < 3; round++) {
      await (await openOne(10n, 10n, on)).drop(FAILED)
      release = Promise.withResolvers()
      const opening = openOne(10n, 10n, on)
      // Another process takes all there is while the hold is on its way.
      const other = await openOne(1_000n)
      release.resolve()
      const bill = await opening.catch(() => undefined)
      if (bill !== undefined) {
        await assert.rejects(bill.settle([line(10n)]), isFailure('insufficient'))
        await bill.drop(FAILED)
        lost += 1
      }
      await other.drop(FAILED)
    }
    assert.equal(lost, 1)
  })

  test('whose hold a crash of the database undid is not charged, and has one record', async () => {
    for (const isSwept of [false, true]) {
      principal = await fundedAccount()
      const { accountId } = principal
      const before = await accountRow(accountId)
      const on = await billingOn(db)
      const bill = await openOne(400n, 400n, on)
      const [hold] = await db.query<{ id: string }>('select id from holds where account_id = $1', [
        accountId,
      ])
      if (isSwept) {
        // A sweeper takes this process for dead, and records the call.
        await db.query(`update holds set created_at = now() - interval '1 hour' where id = $1`, [
          hold!.id,
        ])
        await sweep(db)
      } else {
        await db.query('delete from holds where id = $1', [hold!.id])
        await restoreAccount(accountId, before)
      }
      await assert.rejects(bill.settle([line(150n)]), isFailure('unavailable'))
      await bill.drop(FAILED)
      assert.deepEqual(await account(), { balance: 1_000n, held: 0n })
      assert.deepEqual(await records(), ['test/model interrupted 0 0'])
      assert.equal(on.openHolds.size, 0)
    }
  })

  const accountRow = async (accountId: string) =>
    (await db.query('select * from ledger_accounts where account_id = $1', [accountId]))[0]!

  /** As it was before the holds that a crash undid. */
  async function restoreAccount(accountId: string, { held_micro, limits_micro, version }: Row) {
    await db.query(
      `update ledger_accounts set held_micro = $2, limits_micro = $3, version = $4
       where account_id = $1`,
      [accountId, held_micro, limits_micro, version],
    )
  }

  type End = 'settle' | 'drop' | 'settle then drop' | 'drop then settle' | 'both at once'
  async function end(bill: Bill, how: End, costMicro: bigint): Promise<void> {
    const settle = async () => void (await bill.settle([line(costMicro)]).catch(() => {}))
    const drop = () => bill.drop(FAILED)
    if (how === 'both at once') await Promise.all([drop(), settle()])
    else if (how === 'settle') await settle()
    else if (how === 'drop') await drop()
    else if (how === 'settle then drop') await settle().then(drop)
    else await drop().then(settle)
  }

  /** What became of the bill of one request. */
  async function endOf(requestId: string) {
    const [row] = await db.query<{ records: bigint; done: boolean; due: bigint }>(
      `select count(*) as records, bool_or(status = 'completed') as done,
         coalesce(sum(cost_micro + uncollected_micro), 0)::int8 as due
       from activity_records where request_id = $1`,
      [requestId],
    )
    return row!
  }

  const ENDS: End[] = ['settle', 'drop', 'settle then drop', 'drop then settle', 'both at once']

  test('ends once, however it is ended: one record, one charge or none, no hold', async () => {
    const amount = fc.bigInt({ min: 1n, max: 400n })
    const call = fc.record({
      estimateMicro: amount,
      costMicro: amount,
      how: fc.constantFrom(...ENDS),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 6 }), async (calls) => {
        principal = await fundedAccount()
        const endings = calls.map(async ({ estimateMicro, costMicro, how }) => {
          const requestId = `req_${uuidv7()}`
          const bill = await openOne(estimateMicro, estimateMicro, billing, requestId).catch(
            () => undefined,
          )
          if (bill !== undefined) await end(bill, how, costMicro)
          const { records, done, due } = await endOf(requestId)
          if (bill === undefined) return assert.equal(records, 0n)
          const settled = how.startsWith('settle')
          assert.deepEqual({ records, done }, { records: 1n, done: settled })
          assert.equal(due, settled ? costMicro : 0n)
        })
        await Promise.all(endings)
        assert.equal((await account()).held, 0n)
      }),
      { numRuns: 12 },
    )
  })
})

test('an error ends a bill as failed; only a caller who left ends it as cancelled', () => {
  const signal = (reason?: unknown) => {
    const controller = new AbortController()
    if (reason !== undefined) controller.abort(reason)
    return controller.signal
  }
  const left = signal(new Failure('unavailable', 'x', { code: 'caller_left' }))
  const cases: [unknown, AbortSignal, status: string, errorCode: string][] = [
    [new Failure('upstream_failed', 'x'), signal(), 'failed', 'upstream_error'],
    [new Failure('unsuitable', 'x'), signal(), 'failed', 'invalid_request_error'],
    [new Failure('unsuitable', 'x', { code: 'no_speech' }), signal(), 'failed', 'no_speech'],
    [new Error('a bug'), signal(), 'failed', 'internal_error'],
    [new Error('aborted'), signal({ code: 'draining' }), 'failed', 'internal_error'],
    [new Error('aborted'), left, 'cancelled', 'caller_left'],
    [new Failure('upstream_failed', 'x'), left, 'cancelled', 'caller_left'],
  ]
  for (const [error, aborted, status, errorCode] of cases) {
    const end = dropOf(error, STAGE, 7, aborted)
    assert.deepEqual(end, { status, errorCode, stage: STAGE, latencyMs: 7 })
  }
})
