import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDatabase } from '../../src/db/database.ts'
import type { Tx } from '../../src/db/db.ts'
import { silentLog } from '../../src/lib/log.ts'
import { createReadiness } from '../../src/app/readiness.ts'
import { freshDatabase } from '../support/databases.ts'
import { muteableProxy } from '../support/peers/mute-proxy.ts'

/** A real database that counts what it is asked. */
async function counted(url: string) {
  const db = openDatabase({ url, poolSize: 2, log: silentLog })
  let questions = 0
  const query: Tx['query'] = (sql, params) => {
    questions++
    return db.query(sql, params)
  }
  return { tx: { ...db, query }, questions: () => questions, close: () => db.close() }
}

test('a flood of probes asks the database once, and again only when the moment is over', async () => {
  const db = await counted(await freshDatabase())
  let nowMs = 0
  const missing = createReadiness({ db: db.tx, models: () => 1, nowMs: () => nowMs })
  const answers = await Promise.all(Array.from({ length: 500 }, missing))
  assert.ok(answers.every((names) => names.length === 0))
  assert.equal(db.questions(), 1)
  nowMs = 999
  await missing()
  assert.equal(db.questions(), 1)
  nowMs = 1_000
  await missing()
  assert.equal(db.questions(), 2)
  await db.close()
})

test('a database that is silent is missing, and is not asked again while it is', async () => {
  const proxy = await muteableProxy(await freshDatabase())
  const db = await counted(proxy.url)
  let nowMs = 0
  const missing = createReadiness({ db: db.tx, models: () => 0, nowMs: () => nowMs })
  assert.deepEqual(await missing(), ['catalog'])
  proxy.mute()
  for (nowMs = 1_000; nowMs <= 3_000; nowMs += 1_000) {
    assert.deepEqual(await missing(), ['database', 'catalog'])
  }
  assert.equal(db.questions(), 2)
  await proxy.close()
  await db.close()
})
