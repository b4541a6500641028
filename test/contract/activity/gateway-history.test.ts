import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { healthRecorder } from '../../../src/activity/health-history.ts'
import { purgeHealth } from '../../../src/activity/health-store.ts'
import type { Db } from '../../../src/db/db.ts'
import { healthHistoryRoutes } from '../../../src/routes/gateway-health.ts'
import { ZONE } from '../../activity/sample.ts'
import { freshDb } from '../../support/databases.ts'
import type { Loose } from '../../support/loose.ts'
import { startServer } from '../../support/server.ts'

let db: Db
let now = new Date('2026-11-15T09:02:00Z')
let healthy = 2
let app: Awaited<ReturnType<typeof startServer>>
let job: ReturnType<typeof healthRecorder>
before(async () => {
  db = await freshDb()
  const clock = { now: () => now }
  const health = () => ({ upstreams_total: 2, upstreams_healthy: healthy })
  job = healthRecorder({ db, now: clock.now, timeZone: ZONE, health })
  app = await startServer({
    routes: healthHistoryRoutes({ db, clock, timeZone: ZONE, note: 'Matengenezo leo.' }),
  })
})
after(async () => {
  await app.close()
  await db.close()
})

async function look(at: string, upstreams: number): Promise<void> {
  now = new Date(at)
  healthy = upstreams
  await job.run(new AbortController().signal)
}

async function read() {
  const response = await fetch(`${app.url}/v1/gateway/health/history`)
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Loose,
  }
}

describe('GET /v1/gateway/health/history', () => {
  it('200: a day in steps and 90 days, with what nobody saw unknown', async () => {
    // Yesterday evening in Dar es Salaam, and three minutes later, which is today there.
    await look('2026-11-14T20:58:00Z', 0)
    await look('2026-11-14T21:01:00Z', 2)
    await look('2026-11-15T08:01:00Z', 2)
    await look('2026-11-15T08:06:00Z', 1)
    await look('2026-11-15T08:11:00Z', 0)
    await look('2026-11-15T08:12:00Z', 0)
    await look('2026-11-15T08:13:00Z', 2)
    now = new Date('2026-11-15T09:02:00Z')
    const { status, headers, body } = await read()
    assert.equal(status, 200)
    assert.equal(headers.get('cache-control'), 'public, max-age=30')
    const { note, step_s, recent, days, time_zone } = body.data
    assert.deepEqual([note, step_s, time_zone], ['Matengenezo leo.', 300, ZONE])
    assert.deepEqual([recent.length, days.length], [288, 90])
    assert.equal(recent.at(-1).at, '2026-11-15T09:00:00.000Z')
    const at = (text: string) => recent.find((step: Loose) => step.at === text).state
    assert.equal(at('2026-11-15T08:00:00.000Z'), 'up')
    assert.equal(at('2026-11-15T08:05:00.000Z'), 'degraded')
    assert.equal(at('2026-11-15T08:10:00.000Z'), 'down')
    assert.equal(at('2026-11-15T08:15:00.000Z'), 'unknown')
    assert.deepEqual(days.at(-1), { day: '2026-11-15', state: 'degraded', up_percent: 66.66 })
    assert.deepEqual(days.at(-2), { day: '2026-11-14', state: 'down', up_percent: 0 })
    assert.deepEqual(days[0], { day: '2026-08-18', state: 'unknown' })
  })

  it('200: read from the database once in fifteen seconds, whoever asks', async () => {
    const known = await read()
    await look('2026-11-15T09:02:10Z', 0)
    assert.deepEqual((await read()).body.data, known.body.data)
    now = new Date('2026-11-15T09:02:30Z')
    assert.equal((await read()).body.data.recent.at(-1).state, 'down')
  })

  it('what is no longer shown is deleted', async () => {
    await db.query(`insert into health_samples (grain, at, up) values
      ('step', now() - interval '49 hours', 1), ('step', now() - interval '47 hours', 1),
      ('day', now() - interval '101 days', 1), ('day', now() - interval '90 days', 1)`)
    const [before] = await db.query<{ n: number }>('select count(*)::int as n from health_samples')
    assert.ok((await purgeHealth(db, 500)) >= 2)
    const old = await db.query(`select 1 from health_samples where at < now() -
      case grain when 'step' then interval '2 days' else interval '100 days' end`)
    assert.equal(old.length, 0)
    assert.ok(before!.n > 2)
  })
})
