import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { readLastTrouble, readMinutes } from '../../src/activity/upstream-minutes-store.ts'
import { upstreamFigures, upstreamMinutes } from '../../src/activity/upstream-minutes.ts'
import type { Db } from '../../src/db/db.ts'
import { emptyLatencies, latencyAt } from '../../src/lib/telemetry/latency.ts'
import { silentLog } from '../../src/lib/log.ts'
import { UpstreamHealth } from '../../src/upstream/health/health.ts'
import { freshDb } from '../support/databases.ts'

let db: Db
before(async () => {
  db = await freshDb()
})
after(() => db.close())

let now = new Date('2026-11-16T08:00:10Z')
function open(troubled: string[] = [], store = db) {
  const health = new UpstreamHealth(() => now.getTime(), silentLog)
  const { job, flush } = upstreamMinutes({
    db: store,
    now: () => now,
    take: () => health.takeCounts(),
    troubled: () => troubled,
  })
  const ended = (upstream: string, outcome: string, ms: number) =>
    health.ended(upstream, outcome, ms)
  return { ended, flush, run: () => job.run(new AbortController().signal) }
}
const all = { upstream: undefined, from: new Date(0), to: new Date('2100-01-01') }

test('two processes add up: calls, errors, times and troubles, minute by minute', async () => {
  const [one, two] = [open(), open(['main'])]
  for (const ms of [40, 40, 40, 900]) one.ended('main', 'ok', ms)
  one.ended('main', 'failed', 30_000)
  await one.run()
  assert.deepEqual(await readMinutes(db, all), [], 'written before its time')
  one.ended('main', 'rejected', 20)
  two.ended('main', 'ok', 40)
  for (const process of [one, two]) {
    await process.run()
    await process.run()
  }
  now = new Date('2026-11-16T08:01:10Z')
  await one.run()
  one.ended('other', 'ok', 10)
  now = new Date('2026-11-16T08:02:10Z')
  for (const process of [one, two]) await process.flush()
  const [first, second] = await readMinutes(db, { ...all, upstream: 'main' })
  assert.deepEqual(
    [first!.at.toISOString(), first!.calls, first!.errors, first!.troubled],
    ['2026-11-16T08:00:00.000Z', 7, 1, 1],
  )
  const { p50Ms, p95Ms } = upstreamFigures([first!])
  assert.ok(p50Ms! > 25 && p50Ms! <= 50, String(p50Ms))
  assert.ok(p95Ms! > 800 && p95Ms! <= 1_200, String(p95Ms))
  assert.deepEqual([second!.calls, second!.troubled], [0, 1])
  const [other] = await readMinutes(db, { ...all, upstream: 'other' })
  assert.deepEqual([other!.at.toISOString(), other!.calls], ['2026-11-16T08:02:00.000Z', 1])
  assert.deepEqual([...(await readLastTrouble(db)).keys()], ['main'])
})

test('what could not be written comes with the next round', async () => {
  let away = true
  const flaky: Db = Object.create(db, {
    query: {
      value: (sql: string, values: unknown[]) =>
        away ? Promise.reject(new Error('away')) : db.query(sql, values),
    },
  })
  const minutes = open([], flaky)
  now = new Date('2026-11-16T09:00:10Z')
  minutes.ended('flaky', 'ok', 10)
  await assert.rejects(minutes.flush())
  minutes.ended('flaky', 'ok', 1e9)
  away = false
  await minutes.flush()
  const [written] = await readMinutes(db, { ...all, upstream: 'flaky' })
  assert.equal(written!.calls, 2)
  assert.equal(upstreamFigures([written!]).calls, 2)
})

test('shares of times', () => {
  assert.equal(latencyAt(0.5, emptyLatencies()), undefined)
  const long = emptyLatencies()
  long[long.length - 1] = 1
  assert.equal(latencyAt(0.5, long), 102_400)
  const even = emptyLatencies()
  even[0] = 100
  assert.equal(latencyAt(0.5, even), 13)
})
