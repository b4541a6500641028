import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { examineAll, good, lineOf, type Diagnosis } from '../../../src/cli/doctor/diagnosis.ts'
import { freshFolder } from '../../db/local/support.ts'
import { runMlango } from '../../support/command.ts'
import { startService } from '../../support/service.ts'

type Report = { healthy: boolean; diagnoses: { part: string; state: string; says: string }[] }

const doctor = (env: Record<string, string>, ...args: string[]) => runMlango(env, 'doctor', ...args)

test('a working service is healthy; the words and the JSON agree', async () => {
  const DATA_DIR = join(freshFolder(), 'data')
  const service = await startService({ DATA_DIR })
  const env = { DATA_DIR, PUBLIC_URL: service.url }
  const words = await doctor(env, '--full')
  assert.equal(words.code, 0, words.out)
  assert.match(words.out, /✓ database +PostgreSQL 18/)
  assert.match(words.out, /✓ books +They balance/)
  assert.match(words.out, /✓ public address/)
  assert.match(words.out, /All is well\.\n$/)
  const json = await doctor(env, '--json')
  const report = JSON.parse(json.out) as Report
  assert.deepEqual([json.code, report.healthy], [0, true])
  assert.equal(report.diagnoses.length, words.out.match(/^[✓·✗]/gm)!.length)
  service.kill('SIGTERM')
  await service.ended
})

test('settings that are refused, a database and a Redis that are away: red, and status 1', async () => {
  const refused = await doctor({ PORT: '99999', DATABASE_URL: 'postgresql://x@127.0.0.1:9/x' })
  assert.equal(refused.code, 1)
  assert.match(refused.out, /✗ settings +PORT/)
  const DATA_DIR = join(freshFolder(), 'data')
  const away = await doctor({
    DATA_DIR,
    MASTER_KEY: 'a master key for tests, long enough',
    DATABASE_URL: 'postgresql://x:secret-word@127.0.0.1:9/x',
    REDIS_URL: 'redis://127.0.0.1:9',
    PUBLIC_URL: 'http://127.0.0.1:9',
  })
  assert.equal(away.code, 1)
  assert.match(away.out, /✗ database +DATABASE_URL: cannot reach the database/)
  assert.match(away.out, /✗ redis/)
  assert.match(away.out, /✗ public address/)
  assert.doesNotMatch(away.out, /secret-word/)
})

test('a check that throws or hangs is a diagnosis, and the others are not kept waiting', async () => {
  const found: Diagnosis[] = []
  for await (const one of examineAll([
    { part: 'hangs', examine: () => new Promise(() => {}), patienceMs: 20 },
    { part: 'throws', examine: () => Promise.reject(new Error('Broken.')) },
    { part: 'works', examine: async () => [good('works', 'Well.')] },
  ])) {
    found.push(one)
  }
  assert.deepEqual(
    found.map(({ part, state }) => `${part} ${state}`),
    ['hangs bad', 'throws bad', 'works good'],
  )
})

test('words of other servers cannot write on the terminal', () => {
  const line = lineOf(good('x', 'a\u001b[2Jb\nc'), false)
  assert.ok(!line.includes('\u001b') && !line.includes('\n'))
})
