import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { METRICS } from '../../src/observability/catalogue.ts'
import { freshDatabase } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { startShared } from '../support/replica.ts'
import { startService } from '../support/service.ts'
import { workersOf } from '../support/workers.ts'
import { eventually } from '../support/eventually.ts'

let shared: Awaited<ReturnType<typeof startShared>>
before(async () => {
  shared = await startShared()
})
after(() => shared.close())

const ANSWERS = 'mlango_http_answer_seconds_count{route="GET /healthz",status="200"}'

test('workers share one port of metrics: a scrape tells of all, and nothing is forgotten', async () => {
  const port = await freePort()
  const env = { ...shared.env, DATABASE_URL: await freshDatabase(), METRICS_PORT: String(port) }
  const service = await startService({ ...env, WORKERS: '2' })
  const scrape = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const ask = async () => {
    // Another connection each time, so that both workers get their share.
    const headers = { connection: 'close' }
    assert.equal((await fetch(`${service.url}/healthz`, { headers })).status, 200)
  }
  for (let i = 0; i < 6; i++) await ask()
  const text = await scrape()
  assert.equal(valueOf(text, ANSWERS), 6)
  assert.equal(valueOf(text, 'mlango_upstreams'), 1, 'they are the same, whoever counts them')
  const shown = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name)
  for (const name of Object.keys(METRICS)) assert.ok(shown.includes(name), name)

  const before = workersOf(service.pid)
  process.kill(before[0]!, 'SIGKILL')
  await eventually('the worker is gone', () => !workersOf(service.pid).includes(before[0]!))
  assert.equal(valueOf(await scrape(), ANSWERS), 6, 'it had counted some of them')
  await eventually('another one is there', () => workersOf(service.pid).length === 2)
  for (let i = 0; i < 4; i++) await ask()
  assert.equal(valueOf(await scrape(), ANSWERS), 10)
  service.kill('SIGTERM')
  assert.equal(await service.ended, 0)
})

function valueOf(text: string, series: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}
