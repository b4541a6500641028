import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { commandActor } from '../../src/operators/actor.ts'
import { listAuditEvents } from '../../src/operators/audit-log-store.ts'
import type { CatalogRecord } from '../../src/catalog/model-record.ts'
import { syncCatalog, type SyncParts } from '../../src/catalog/sync.ts'
import type { Db } from '../../src/db/db.ts'
import { silentLog } from '../../src/lib/log.ts'
import { catalogCommand } from '../../src/cli/catalog.ts'
import { priced, record, settings, upstream } from '../catalog/sample.ts'
import { freshDb } from '../support/databases.ts'

let db: Db
let list: CatalogRecord[] | undefined = [record('a/one'), record('a/two')]
let catalogSync: SyncParts
before(async () => {
  db = await freshDb()
  catalogSync = {
    db,
    log: silentLog,
    settings,
    upstreams: [upstream('main')],
    read: async () => {
      if (list === undefined) throw new Error('down')
      return list
    },
  }
  await syncCatalog(catalogSync)
})
after(() => db.close())

async function run(...args: string[]) {
  const lines: string[] = []
  const code = await catalogCommand.run(args, {
    db,
    catalogSync,
    print: (line) => lines.push(line),
  })
  return { code, text: lines.join('\n') }
}

test('diff shows what leapt, approve puts it in force, once', async () => {
  assert.match((await run('diff')).text, /No price is waiting/)
  list = [
    priced('a/one', '0.00002', '0.000002'),
    record('a/two', { pricing: {}, priced: 'unpriced' }),
  ]
  assert.match((await run('sync')).text, /2 prices waiting for approval/)
  const { code, text } = await run('diff')
  assert.equal(code, 0)
  assert.match(text, /a\/one at main: moved, seen \d{4}-/)
  assert.match(text, / {2}prompt: 0\.000001 → 0\.00002 USD/)
  assert.match(text, /a\/two at main: vanished/)
  assert.match(text, / {2}paid → unpriced/)
  assert.deepEqual(await run('approve', 'a/one'), { code: 0, text: 'a/one at main: approved' })
  assert.equal((await run('approve', 'a/one')).code, 1)
  assert.deepEqual(await run('approve', '--all'), { code: 0, text: 'a/two at main: approved' })
  assert.match((await run('diff')).text, /No price is waiting/)
})

test('sync says which list could not be used', async () => {
  list = undefined
  const { code, text } = await run('sync')
  assert.equal(code, 1)
  assert.match(text, /list of main could not be used/)
})

test('disable and enable, and help for all else', async () => {
  assert.equal((await run('disable', 'a/one')).text, 'a/one is disabled.')
  assert.equal((await run('enable', 'a/one')).text, 'a/one is enabled.')
  assert.equal((await run('disable', 'a/none')).code, 1)
  for (const args of [[], ['approve'], ['approve', 'a/one', '--all'], ['what']]) {
    const { code, text } = await run(...args)
    assert.equal(code, 2)
    assert.match(text, /catalog diff/)
  }
})

test('a margin is set, shown in the history, and given up again', async () => {
  assert.match((await run('margin', 'a/one', '1.75', '--operator', 'neema')).text, /is 1\.75/)
  assert.match((await run('prices', 'a/one')).text, /terms by neema {2}margin=1\.75 .*IN FORCE/)
  assert.equal((await run('margin', 'text', '1.25', '--modality')).code, 0)
  assert.match((await run('prices', 'a/two')).text, /^\S+ {2}main {2}terms by .* {2}margin=1\.25/)
  assert.match((await run('margin', 'a/one', 'none')).text, /no longer its own/)
  assert.match((await run('prices', 'a/one')).text, /margin=1\.25 .*IN FORCE/)
  for (const margin of ['0', '-1', '200', 'dear']) {
    assert.equal((await run('margin', 'a/one', '--', margin)).code, 2, margin)
  }
  assert.equal((await run('margin', 'a/none', '2')).code, 1)
  assert.equal((await run('prices', 'a/none')).code, 1)
  const actions = await listAuditEvents(db, {
    operatorId: undefined,
    targetId: 'a/one',
    action: 'model.margin',
    before: undefined,
    reads: false,
    limit: 10,
  })
  assert.deepEqual(
    actions.map(({ operator, before }) => [operator, before]),
    [
      [commandActor(undefined).name, { margin: '1.75' }],
      ['neema', { margin: null }],
    ],
  )
})
