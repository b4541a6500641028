import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, it } from 'node:test'
import { insertRecords, moveWorkspace } from '../../src/activity/activity-store.ts'
import { type ActivityQuery, listActivity } from '../../src/activity/list.ts'
import { findRecordGroups } from '../../src/activity/record-groups-store.ts'
import { mergeGroups, scanGroups, scanNewest } from '../../src/activity/list-store.ts'
import { addPendingRollups } from '../../src/activity/summing-store.ts'
import { ACTIVITY_STATUSES, type ActivityRecord } from '../../src/activity/record.ts'
import type { Db } from '../../src/db/db.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { withDatabase } from '../support/databases.ts'
import { sample, ZONE } from './sample.ts'

withDatabase('activity list', (open) => {
  let db: Db
  const accountId = uuidv7()
  const workspaces = [randomUUID(), randomUUID(), undefined]
  const models = ['acme/small', 'acme/large', '%']
  const all: ActivityRecord[] = []
  const list = (query: Partial<ActivityQuery>) =>
    listActivity(db, { accountId, limit: 200, offset: 0, ...query })

  before(async () => {
    db = await open()
    const start = Date.parse('2026-11-01T00:00:00Z')
    for (let i = 0; i < 180; i++) {
      all.push(
        sample({
          accountId,
          workspaceId: workspaces[i % 3],
          model: models[Math.floor(i / 3) % 3]!,
          status: ACTIVITY_STATUSES[Math.floor(i / 9) % 3]!,
          // Three at a time share a millisecond, so that the id has to decide.
          createdAt: new Date(start + Math.floor(i / 3) * 1_000),
        }),
      )
    }
    // Half of it is counted, half still due.
    await insertRecords(db, all.slice(0, 90), ZONE)
    await addPendingRollups(db, 1_000)
    await insertRecords(db, [...all.slice(90), sample(), sample()], ZONE)
    all.sort(newestFirst)
  })

  it('obeys every filter alone and together, newest first', async () => {
    for (const workspaceId of [workspaces[0], workspaces[1], undefined]) {
      for (const model of [...models, 'acme/none', undefined]) {
        for (const status of [...ACTIVITY_STATUSES, undefined]) {
          const wanted = all.filter(
            (record) =>
              (workspaceId ?? record.workspaceId) === record.workspaceId &&
              (model ?? record.model) === record.model &&
              (status ?? record.status) === record.status,
          )
          const page = await list({ workspaceId, model, status })
          assert.deepEqual(ids(page.records), ids(wanted))
          assert.equal(page.total, wanted.length)
          assert.equal(page.hasMore, false)
        }
      }
    }
  })

  it('gives the same pages by offset and by cursor, filtered or not', async () => {
    for (const filter of [{}, { status: 'failed' as const }]) {
      const wanted = ids((await list(filter)).records)
      const byOffset: string[] = []
      const byCursor: string[] = []
      for (let more = true; more;) {
        const page = await list({ ...filter, limit: 7, offset: byOffset.length })
        const next = await list({ ...filter, limit: 7, before: byCursor.at(-1) })
        byOffset.push(...ids(page.records))
        byCursor.push(...ids(next.records))
        assert.deepEqual(page.hasMore, byOffset.length < wanted.length)
        assert.equal(next.hasMore, page.hasMore)
        assert.equal(page.total, wanted.length)
        more = page.hasMore
      }
      assert.deepEqual(byOffset, wanted)
      assert.deepEqual(byCursor, wanted)
    }
    assert.deepEqual(await list({ offset: 180 }), { records: [], total: 180, hasMore: false })
  })

  it('reads the same by a merge of record groups and by a scan along the account', async () => {
    const { ids } = await findRecordGroups(db, accountId, { status: 'completed' })
    const page = { accountId, limit: 9, offset: 31 }
    const scanned = await scanGroups(db, page, ids)
    assert.equal(scanned.length, 9)
    assert.deepEqual(await mergeGroups(db, page, ids), scanned)
    assert.deepEqual(await scanNewest(db, page, { groups: ids, newest: 180 }), scanned)
    // A scan that ends too early finds the start of the page, never anything else.
    const start = await scanNewest(db, page, { groups: ids, newest: 100 })
    assert.ok(start.length < 9)
    assert.deepEqual(start, scanned.slice(0, start.length))
    const last = scanned.at(-1)!
    const rest = { ...page, offset: 0, before: { createdAt: last.createdAt, id: last.id } }
    assert.deepEqual(await mergeGroups(db, rest, ids), await scanGroups(db, rest, ids))
  })

  it('finds what was common long ago behind thousands of other records', async () => {
    const account = uuidv7()
    const filler = Array.from({ length: 4_500 }, () => sample({ accountId: account }))
    const createdAt = new Date('2026-01-01T00:00:00Z')
    const old = Array.from({ length: 600 }, (_, i) =>
      sample({
        accountId: account,
        model: 'acme/old',
        status: i % 2 ? 'failed' : 'completed',
        createdAt,
      }),
    )
    await insertRecords(db, [...filler, ...old], ZONE)
    const wanted = ids(old.toSorted(newestFirst))
    const query = { accountId: account, model: 'acme/old' }
    const first = await list({ ...query, limit: 20 })
    assert.deepEqual(ids(first.records), wanted.slice(0, 20))
    assert.equal(first.total, 600)
    const last = await list({ ...query, limit: 20, offset: 590 })
    assert.deepEqual(ids(last.records), wanted.slice(590))
    const latest = await list({ accountId: account, status: 'completed', limit: 5 })
    assert.deepEqual(ids(latest.records), ids(filler.toSorted(newestFirst)).slice(0, 5))
  })

  it('keeps pages by cursor still while records arrive', async () => {
    const account = uuidv7()
    const old = Array.from({ length: 20 }, () => sample({ accountId: account }))
    await insertRecords(db, old, ZONE)
    const first = await list({ accountId: account, limit: 10 })
    const newer = new Date(Date.now() + 60_000)
    await insertRecords(db, [sample({ accountId: account, createdAt: newer })], ZONE)
    const before = first.records.at(-1)!.id
    const second = await list({ accountId: account, limit: 10, before })
    const seen = [...ids(first.records), ...ids(second.records)]
    assert.deepEqual(seen, ids(old.toSorted(newestFirst)))
  })

  it("shows nothing of another account, whether asked by workspace or by another's record", async () => {
    const stranger = uuidv7()
    assert.deepEqual((await list({ accountId: stranger, workspaceId: workspaces[0] })).records, [])
    assert.deepEqual((await list({ accountId: stranger, before: all[0]!.id })).records, [])
    const [own] = [sample({ accountId: stranger })]
    await insertRecords(db, [own], ZONE)
    assert.deepEqual((await list({ accountId: stranger, before: all[0]!.id })).records, [])
    assert.equal((await list({ accountId: stranger })).total, 1)
  })

  it('keeps the records of a deleted workspace, under the default one', async () => {
    const account = uuidv7()
    const [main, side, late] = [randomUUID(), randomUUID(), randomUUID()]
    const before = [main, side, undefined].map((workspaceId) =>
      sample({ accountId: account, workspaceId }),
    )
    await insertRecords(db, before, ZONE)
    await moveWorkspace(db, { accountId: account, fromId: side, toId: main })
    // A call that was under way when its workspace went, with a model the workspace never used.
    const running = sample({ accountId: account, workspaceId: side, model: 'acme/late' })
    await insertRecords(db, [running], ZONE)
    const inMain = await list({ accountId: account, workspaceId: main })
    assert.deepEqual(ids(inMain.records).sort(), ids([before[0]!, before[1]!, running]).sort())
    assert.equal(inMain.total, 3)
    assert.ok(inMain.records.every((record) => record.workspaceId === main))
    assert.equal((await list({ accountId: account, workspaceId: side })).total, 0)
    assert.equal((await list({ accountId: account })).total, 4)
    await moveWorkspace(db, { accountId: account, fromId: main, toId: late })
    assert.equal((await list({ accountId: account, workspaceId: late })).total, 3)
  })
})

const ids = (records: ActivityRecord[]) => records.map((record) => record.id)

function newestFirst(a: ActivityRecord, b: ActivityRecord): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1)
}
