import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { insertRecords } from '../../src/activity/activity-store.ts'
import { costSumming } from '../../src/activity/cost-sums.ts'
import type { ActivityRecord } from '../../src/activity/record.ts'
import { openDatabase } from '../../src/db/database.ts'
import type { Db } from '../../src/db/db.ts'
import { silentLog } from '../../src/lib/log.ts'
import { assertCostSums } from '../support/agreement.ts'
import { runChild } from '../support/child.ts'
import { freshDatabase } from '../support/databases.ts'
import { sample, ZONE } from './sample.ts'

/* The sums of costs: each record counts once, whenever it commits and whoever is killed. */

const CHILD = join(import.meta.dirname, 'children/sum.ts')
let url: string
let db: Db
before(async () => {
  url = await freshDatabase()
  db = openDatabase({ url, poolSize: 10, log: silentLog })
})
after(() => db.close())

const sumUp = () => costSumming({ db }).run(new AbortController().signal)
const counted = async () => {
  const [row] = await db.query<{ summed: bigint; due: bigint }>(
    `select (select coalesce(sum(requests), 0)::int8 from cost_sums) as summed,
       (select count(*) from cost_sums_due) as due`,
  )
  return { summed: Number(row!.summed), due: Number(row!.due) }
}

let made = 0
/** Of several days, upstreams, models and kinds, with every measure. */
function some(count: number): ActivityRecord[] {
  return Array.from({ length: count }, () => {
    const i = made++
    const status = i % 7 === 0 ? 'failed' : 'completed'
    const costMicro = status === 'completed' ? BigInt(1_000 + i) : 0n
    return sample({
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
  await assertCostSums(db)
  assert.equal((await counted()).summed, 0)
  await sumUp()
  assert.deepEqual(await counted(), { summed: 200, due: 0 })
  await assertCostSums(db)
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
  await assertCostSums(db)
  await sumUp()
  assert.deepEqual(await counted(), { summed: summed + 30, due: 0 })
  await assertCostSums(db)
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
  await assertCostSums(db)
  await Promise.all([sumUp(), sumUp(), sumUp()])
  assert.deepEqual(await counted(), { summed: summed + written, due: 0 })
  await assertCostSums(db)
})
