import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { insertRecords } from '../../src/activity/activity-store.ts'
import { listActivity } from '../../src/activity/list.ts'
import type { ActivityRecord } from '../../src/activity/record.ts'
import { summarizeActivity } from '../../src/activity/summary-store.ts'
import { activitySumming } from '../../src/activity/summing.ts'
import { addPendingRollups } from '../../src/activity/summing-store.ts'
import { periodOfDays } from '../../src/operators/business/overview.ts'
import { sumCosts } from '../../src/operators/business/overview-store.ts'
import { openDatabase } from '../../src/db/database.ts'
import type { Db } from '../../src/db/db.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { silentLog } from '../../src/lib/log.ts'
import { assertSums } from '../support/money/agreement.ts'
import { runChild } from '../support/child.ts'
import { freshDatabase } from '../support/databases.ts'
import { sample, ZONE } from './sample.ts'

/* Counters and sums: each record counts once, whenever it commits and whoever is killed. */

const CHILD = join(import.meta.dirname, 'children/sum.ts')
let url: string
let db: Db
before(async () => {
  url = await freshDatabase()
  db = openDatabase({ url, poolSize: 10, log: silentLog })
})
after(() => db.close())

const sumUp = () => activitySumming({ db }).run(AbortSignal.timeout(20_000))
const counted = async () => {
  const [row] = await db.query<{ summed: bigint; pending: bigint }>(
    `select (select coalesce(sum(requests), 0)::int8 from cost_sums) as summed,
       (select count(*) from pending_rollups) as pending`,
  )
  return { summed: Number(row!.summed), pending: Number(row!.pending) }
}

const ACCOUNTS = Array.from({ length: 5 }, () => uuidv7())
const WORKSPACES = [undefined, uuidv7()]
let made = 0
/** Of several days, upstreams, models and kinds, with every measure. */
function some(count: number): ActivityRecord[] {
  return Array.from({ length: count }, () => {
    const i = made++
    const status = i % 7 === 0 ? 'failed' : 'completed'
    const costMicro = status === 'completed' ? BigInt(1_000 + i) : 0n
    return sample({
      accountId: ACCOUNTS[i % 5]!,
      workspaceId: WORKSPACES[i % 2],
      createdAt: new Date(Date.parse('2026-03-01T20:59:00Z') + i * 60_000),
      upstream: [undefined, 'north', 'south'][i % 3],
      model: ['acme/small', 'acme/large'][i % 2]!,
      kind: (['chat', 'image'] as const)[(i >> 1) % 2]!,
      status,
      costMicro,
      giftMicro: costMicro / 3n,
      uncollectedMicro: i % 11 === 0 ? 5n : 0n,
      waivedMicro: status === 'failed' ? 9n : 0n,
      upstreamCost: [
        undefined,
        { nusd: BigInt(i), basis: 'reported' as const },
        { nusd: BigInt(i) * 2n, basis: 'list' as const },
        { nusd: BigInt(i) * 3n, basis: 'estimated' as const },
      ][i % 4],
    })
  })
}

it('are those of the records, by local day, before and after they are added up', async () => {
  await insertRecords(db, some(200), ZONE)
  await assertSums(db)
  assert.equal((await counted()).summed, 0)
  await sumUp()
  assert.deepEqual(await counted(), { summed: 200, pending: 0 })
  await assertSums(db)
  const days = await db.query<{ day: string; requests: bigint }>(
    'select day::text, sum(requests)::int8 as requests from cost_sums group by 1 order by 1',
  )
  // The first record is at a minute to midnight in Dar es Salaam.
  assert.deepEqual(days, [
    { day: '2026-03-01', requests: 1n },
    { day: '2026-03-02', requests: 199n },
  ])
})

it('have the same record once, however often it comes', async () => {
  const [record] = some(1)
  const { summed } = await counted()
  await insertRecords(db, [record!, record!], ZONE)
  await insertRecords(db, [record!], ZONE)
  await sumUp()
  await insertRecords(db, [record!], ZONE)
  await sumUp()
  assert.equal((await counted()).summed, summed + 1)
})

it('have what commits late, with older ids and times, and not what is undone', async () => {
  const { summed } = await counted()
  const [early, never] = [some(10), some(10)]
  let commit = () => {}
  const waiting = new Promise<void>((done) => (commit = done))
  const written = Promise.withResolvers<void>()
  const late = db.begin(async (tx) => {
    await insertRecords(tx, early, ZONE)
    written.resolve()
    await waiting
  })
  await written.promise
  const undone = db.begin(async (tx) => {
    await insertRecords(tx, never, ZONE)
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  await insertRecords(db, some(20), ZONE)
  await sumUp()
  assert.equal((await counted()).summed, summed + 20)
  commit()
  await late
  await assertSums(db)
  await sumUp()
  assert.deepEqual(await counted(), { summed: summed + 30, pending: 0 })
  await assertSums(db)
})

it('have each record once, with many at work and some of them killed', async () => {
  const { summed } = await counted()
  const ROUNDS = 12
  let written = 0
  const others = [runChild(CHILD, [url]), runChild(CHILD, [url])]
  for (let round = 0; round < ROUNDS; round++) {
    const victim = others[round % 2]!
    const seen = { atWork: false }
    const line = victim.line().then(() => (seen.atWork = true))
    while (!seen.atWork) {
      await Promise.all(Array.from({ length: 8 }, () => insertRecords(db, some(25), ZONE)))
      written += 200
    }
    await line
    victim.kill('SIGKILL')
    await victim.ended
    others[round % 2] = runChild(CHILD, [url])
  }
  for (const other of others) {
    other.kill('SIGKILL')
    await other.ended
  }
  await assertSums(db)
  await Promise.all([sumUp(), sumUp(), sumUp()])
  assert.deepEqual(await counted(), { summed: summed + written, pending: 0 })
  await assertSums(db)
})

it('cost what is added up, not what is pending, also by a plan that was made while nothing was', async () => {
  await sumUp()
  const { summed } = await counted()
  await db.query('vacuum analyze pending_rollups')
  // One connection that has been in use for a while: its plans are kept.
  const kept = openDatabase({ url, poolSize: 1, log: silentLog })
  const rowsRead = async () => {
    await kept.query('select pg_stat_force_next_flush()')
    const [row] = await kept.query<{ rows: bigint }>(
      `select sum(seq_tup_read)::int8 as rows from pg_stat_user_tables
       where relname = 'pending_rollups'`,
    )
    return row!.rows
  }
  try {
    await kept.query('set plan_cache_mode = force_generic_plan')
    await addPendingRollups(kept, 1_000)
    await insertRecords(db, some(3_000), ZONE)
    const before = await rowsRead()
    await addPendingRollups(kept, 1_000)
    assert.equal((await rowsRead()) - before, 1_000n)
    await sumUp()
    assert.deepEqual(await counted(), { summed: summed + 3_000, pending: 0 })
  } finally {
    await kept.close()
  }
})

it('are read as one with what is pending, whatever is moved meanwhile', async () => {
  const accountId = uuidv7()
  const createdAt = new Date('2025-06-30T20:59:59Z')
  const at = createdAt
  const records = Array.from({ length: 400 }, (_, i) =>
    sample({ accountId, createdAt, model: `acme/${i % 4}`, costMicro: 1n }),
  )
  await insertRecords(db, records, ZONE)
  const read = async () => {
    const page = { accountId, limit: 1, offset: 0 }
    const { total } = await listActivity(db, page)
    const one = await listActivity(db, { ...page, model: 'acme/3', status: 'completed' })
    const periods = await Promise.all(
      (['today', 'month', 'year'] as const).map((period) =>
        summarizeActivity(db, { accountId, period, at, timeZone: ZONE }),
      ),
    )
    const costs = await sumCosts(db, periodOfDays('2025-06-30', '2025-06-30', ZONE))
    const charged = costs.reduce((sum, { costMicro }) => sum + costMicro, 0n)
    return [total, one.total, ...periods.map(({ requests }) => requests), charged]
  }
  const wanted = [400, 100, 400n, 400n, 400n, 400n]
  // Nothing but what is pending: the groups are not there yet.
  const groups = 'select 1 from record_groups where account_id = $1'
  assert.deepEqual(await db.query(groups, [accountId]), [])
  assert.deepEqual(await read(), wanted)
  const state = { moving: true }
  const move = async () => {
    for (let taken = 0; taken < 400; taken += 3) await addPendingRollups(db, 3)
    state.moving = false
  }
  const moves = Promise.all([move(), move()])
  while (state.moving) assert.deepEqual(await read(), wanted)
  await moves
  assert.equal((await counted()).pending, 0)
  assert.equal((await db.query(groups, [accountId])).length, 4)
  assert.deepEqual(await read(), wanted)
})
