import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, it } from 'node:test'
import { insertRecords } from '../../src/activity/activity-store.ts'
import { listActivity } from '../../src/activity/list.ts'
import type { ActivityRecord } from '../../src/activity/record.ts'
import { summarizeActivity } from '../../src/activity/summary-store.ts'
import { addPendingRollups } from '../../src/activity/summing-store.ts'
import type { Db, Row } from '../../src/db/db.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { withDatabase } from '../support/databases.ts'
import { sample, ZONE } from './sample.ts'

withDatabase('activity records', (open) => {
  let db: Db
  before(async () => (db = await open()))
  const list = (accountId: string) => listActivity(db, { accountId, limit: 200, offset: 0 })

  it('come back as they were written', async () => {
    const full = sample({
      workspaceId: randomUUID(),
      keyId: randomUUID(),
      priceSnapshotId: randomUUID(),
      uncollectedMicro: 7n,
      costMicro: 9_007_199_254_740_993n,
      model: 'acme/"odd", {id} \\ née',
      estimated: true,
    })
    const bare = sample({
      accountId: full.accountId,
      status: 'failed',
      errorCode: 'upstream_error',
      promptTokens: undefined,
      completionTokens: undefined,
      totalTokens: undefined,
      createdAt: new Date(full.createdAt.getTime() - 1),
    })
    await insertRecords(db, [bare, full], ZONE)
    const { records, total, hasMore } = await list(full.accountId)
    assert.equal(total, 2)
    assert.equal(hasMore, false)
    const shown = { workspaceId: undefined, keyId: undefined, priceSnapshotId: undefined }
    assert.deepEqual(records, [
      { ...full, errorCode: undefined },
      { ...shown, uncollectedMicro: 0n, ...bare },
    ])
  })

  it('count once, however often the same id comes, in one batch or in several', async () => {
    const record = sample()
    const { accountId } = record
    const other = sample({ accountId })
    await insertRecords(db, [record, record], ZONE)
    await insertRecords(db, [record, other], ZONE)
    assert.equal((await list(accountId)).total, 2)
    const at = record.createdAt
    const sum = await summarizeActivity(db, { accountId, period: 'today', at, timeZone: ZONE })
    assert.deepEqual([sum.requests, sum.tokens, sum.costMicro], [2n, 30n, 3_000n])
  })

  it('leave no trace when the transaction around them fails', async () => {
    const record = sample()
    const work = db.begin(async (tx) => {
      await insertRecords(tx, [record], ZONE)
      throw new Error('no')
    })
    await assert.rejects(work, /no/)
    assert.equal((await list(record.accountId)).total, 0)
    const counted = await db.query<Row>(
      `select 1 from activity_rollups where account_id = $1
       union all select 1 from record_groups where account_id = $1
       union all select 1 from pending_rollups where account_id = $1`,
      [record.accountId],
    )
    assert.deepEqual(counted, [])
  })

  it('refuse what only a bug can make', async () => {
    const { accountId, ...good } = sample()
    const bad: Partial<ActivityRecord>[] = [
      { id: randomUUID() },
      { status: 'lost' as 'failed', costMicro: 0n },
      { status: 'failed', costMicro: 1n },
      { waivedMicro: 1n },
      { costMicro: -1n },
      { uncollectedMicro: -1n },
      { giftMicro: -1n },
      { costMicro: 0n, waivedMicro: -1n },
      { upstreamCost: { nusd: -1n, basis: 'list' } },
      { upstreamCost: { nusd: 1n, basis: 'guessed' as 'list' } },
      { promptTokens: -1 },
      { completionTokens: 0.5 },
      { totalTokens: Number.NaN },
      { attempts: -1 },
    ]
    for (const fields of bad) {
      const record = { ...good, accountId, ...fields }
      await assert.rejects(insertRecords(db, [record], ZONE), { code: 'ERR_ASSERTION' })
    }
    await insertRecords(db, [], ZONE)
    assert.equal((await list(accountId)).total, 0)
  })

  it('are in the group that the counters have', async () => {
    const [accountId, workspaceId] = [randomUUID(), randomUUID()]
    const records = [
      sample({ accountId, workspaceId, model: 'acme/née "{}" \\' }),
      sample({ accountId, workspaceId: undefined, status: 'failed', costMicro: 0n }),
    ]
    await insertRecords(db, records, ZONE)
    await addPendingRollups(db, 100)
    const groups = await db.query(
      `select count(*) as records from activity_records join record_groups using (group_id)
       where record_groups.account_id = $1 group by group_id order by 1`,
      [accountId],
    )
    assert.deepEqual(groups, [{ records: 1n }, { records: 1n }])
  })

  it('from many batches at once neither deadlock nor lose a count', async () => {
    const accounts = Array.from({ length: 4 }, () => uuidv7())
    const models = ['a', 'b', 'c', 'd', 'e']
    const batch = () =>
      Array.from({ length: 40 }, () =>
        sample({ accountId: pick(accounts), model: pick(models), costMicro: 2n }),
      )
    const batches = Array.from({ length: 40 }, batch)
    await Promise.all(batches.map((records) => db.begin((tx) => insertRecords(tx, records, ZONE))))
    const check = async () => {
      const pages = await Promise.all(accounts.map((accountId) => list(accountId)))
      assert.equal(sum(pages.map((page) => page.total)), 1_600)
      const at = new Date()
      const years = await Promise.all(
        accounts.map((accountId) =>
          summarizeActivity(db, { accountId, period: 'year', at, timeZone: ZONE }),
        ),
      )
      assert.equal(sum(years.map((year) => Number(year.costMicro))), 3_200)
    }
    await check()
    const moved = await Promise.all(Array.from({ length: 30 }, () => addPendingRollups(db, 100)))
    assert.ok(sum(moved) >= 1_600)
    await check()
  })
})

const pick = <T>(from: T[]): T => from[Math.floor(Math.random() * from.length)]!
const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0)
