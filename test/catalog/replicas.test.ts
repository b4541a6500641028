import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openCatalog } from '../../src/catalog/catalog.ts'
import { syncCatalog } from '../../src/catalog/sync.ts'
import type { Db } from '../../src/db/db.ts'
import { openDatabase } from '../../src/db/database.ts'
import { silentLog } from '../../src/lib/log.ts'
import { freshDatabase } from '../support/databases.ts'
import { record, settings, upstream } from './sample.ts'
import { eventually } from '../support/eventually.ts'

/** Four replicas on one database server, each with connections of its own. */
let replicas: Db[]
before(async () => {
  const url = await freshDatabase()
  replicas = [1, 2, 3, 4].map(() => openDatabase({ url, poolSize: 3, log: silentLog }))
})
after(async () => {
  for (const db of replicas) await db.close()
})

test('of four replicas that start together one reads the lists, and all have the models', async () => {
  const upstreams = [upstream('main')]
  let readings = 0
  const read = async () => {
    readings++
    await new Promise((done) => setTimeout(done, 200))
    return [record('a/one')]
  }
  const parts = { log: silentLog, settings, upstreams, read }
  const catalogs = await Promise.all(
    replicas.map((db) => openCatalog({ db, log: silentLog, upstreams })),
  )
  const reports = await Promise.all(
    replicas.map((db) => syncCatalog({ db, ...parts }, { maxAgeS: 60 })),
  )
  assert.equal(readings, 1)
  assert.equal(reports.filter((report) => report.state === 'done').length, 1)
  await eventually('all have the model', () =>
    catalogs.every((catalog) => catalog.find('a/one')?.enabled),
  )
})
