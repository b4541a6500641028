import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import {
  insertRecords,
  moveWorkspace,
  purgeMoves,
  purgeRecords,
} from '../../src/activity/activity-store.ts'
import { listActivity } from '../../src/activity/list.ts'
import { activityRetention } from '../../src/activity/retention.ts'
import { summarizeActivity } from '../../src/activity/summary-store.ts'
import { addPendingRollups } from '../../src/activity/summing-store.ts'
import type { Db } from '../../src/db/db.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { silentLog } from '../../src/lib/log.ts'
import { withDatabase } from '../support/databases.ts'
import { sample, ZONE } from './sample.ts'

const DAY_MS = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS)

withDatabase('activity retention', (open) => {
  let db: Db
  before(async () => (db = await open()))
  const count = async (accountId: string) =>
    (await listActivity(db, { accountId, limit: 200, offset: 0 })).total
  const year = (accountId: string, at: Date) =>
    summarizeActivity(db, { accountId, period: 'year', at, timeZone: ZONE })

  it('purges what is older than its days, in batches, and leaves the roll-ups', async () => {
    const accountId = uuidv7()
    const old = Array.from({ length: 2_300 }, (_, i) =>
      sample({ accountId, createdAt: daysAgo(31 + (i % 3)), model: `acme/${i % 5}` }),
    )
    const young = [sample({ accountId, createdAt: daysAgo(29) }), sample({ accountId })]
    await insertRecords(db, [...old, ...young], ZONE)
    await addPendingRollups(db, 5_000)
    const summaries = () => Promise.all([year(accountId, daysAgo(33)), year(accountId, new Date())])
    const untrimmed = await summaries()
    const job = activityRetention({ db, days: 30, log: silentLog })
    // Two processes have the same background job: together they purge each record once.
    await Promise.all([0, 1].map(() => job.run(new AbortController().signal)))
    const page = await listActivity(db, { accountId, limit: 200, offset: 0 })
    assert.deepEqual(page.records.map((record) => record.id).sort(), young.map((r) => r.id).sort())
    assert.equal(page.total, 2)
    assert.deepEqual(await summaries(), untrimmed)
  })

  it('takes at most a batch, the oldest first, and judges by created_at', async () => {
    const accountId = uuidv7()
    const ages = [50, 49, 48, 47].map((days) => sample({ accountId, createdAt: daysAgo(days) }))
    // Reserved long ago, done just now: its id is old, the record is not.
    const longJob = sample({ accountId, id: uuidv7(daysAgo(60).getTime()) })
    await insertRecords(db, [...ages, longJob], ZONE)
    await addPendingRollups(db, 5_000)
    assert.equal(await purgeRecords(db, { olderThanDays: 40, batch: 3 }), 3)
    const { records } = await listActivity(db, { accountId, limit: 200, offset: 0 })
    assert.deepEqual(
      records.map((record) => record.id),
      [longJob.id, ages[3]!.id],
    )
    assert.equal(await purgeRecords(db, { olderThanDays: 40, batch: 3 }), 1)
    assert.equal(await purgeRecords(db, { olderThanDays: 40, batch: 3 }), 0)
    assert.equal(await count(accountId), 1)
  })

  it('stops between batches when the process drains', async () => {
    const accountId = uuidv7()
    const createdAt = daysAgo(100)
    const old = Array.from({ length: 1_500 }, () => sample({ accountId, createdAt }))
    await insertRecords(db, old, ZONE)
    await addPendingRollups(db, 5_000)
    const drain = new AbortController()
    drain.abort()
    await activityRetention({ db, days: 30, log: silentLog }).run(drain.signal)
    assert.equal(await count(accountId), 1_500)
    await purgeRecords(db, { olderThanDays: 30, batch: 5_000 })
  })

  it('leaves a record that is not counted yet for the next round', async () => {
    const accountId = uuidv7()
    const written = (days: number, model: string) =>
      sample({ accountId, model, createdAt: daysAgo(days) })
    const purge = () => purgeRecords(db, { olderThanDays: 40, batch: 2 })
    const left = async () => {
      const { records, total } = await listActivity(db, { accountId, limit: 200, offset: 0 })
      assert.equal(total, records.length)
      return total
    }
    await insertRecords(db, [written(90, 'acme/small'), written(60, 'acme/small')], ZONE)
    await addPendingRollups(db, 5_000)
    // A batch has room for two, and the oldest are due: one of them is of a group that is not there.
    const due = [written(100, 'acme/small'), written(99, 'acme/new'), written(70, 'acme/small')]
    await insertRecords(db, due, ZONE)
    assert.equal(await purge(), 2)
    assert.equal(await left(), 3)
    assert.equal(await purge(), 0)
    await addPendingRollups(db, 5_000)
    assert.equal(await left(), 3)
    assert.deepEqual([await purge(), await purge(), await left()], [2, 1, 0])
    const groups = await db.query('select 1 from record_groups where account_id = $1', [accountId])
    assert.deepEqual(groups, [])
  })

  it('keeps the move of a workspace while a record of it is due', async () => {
    const [accountId, fromId, toId] = [uuidv7(), uuidv7(), uuidv7()]
    await moveWorkspace(db, { accountId, fromId, toId })
    await db.query(`update activity_workspace_moves set moved_at = now() - interval '2 days'`)
    await insertRecords(db, [sample({ accountId, workspaceId: fromId })], ZONE)
    const total = async () =>
      (await listActivity(db, { accountId, workspaceId: toId, limit: 1, offset: 0 })).total
    assert.deepEqual([await purgeMoves(db, 10), await total()], [0, 1])
    await addPendingRollups(db, 5_000)
    assert.deepEqual([await purgeMoves(db, 10), await total()], [0, 1])
  })
})
