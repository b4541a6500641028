import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { approvePrices, setModelDisabled } from '../../src/catalog/approve.ts'
import { openCatalog, type Catalog } from '../../src/catalog/catalog.ts'
import { claimSync, dropSync } from '../../src/catalog/lease-store.ts'
import { readPending } from '../../src/catalog/pending-store.ts'
import type { CatalogRecord } from '../../src/catalog/model-record.ts'
import { syncCatalog, type SyncOptions } from '../../src/catalog/sync.ts'
import type { CatalogUpstream } from '../../src/catalog/terms.ts'
import type { Db } from '../../src/db/db.ts'
import { Failure } from '../../src/lib/failure.ts'
import { silentLog } from '../../src/lib/log.ts'
import { testClock } from '../support/accounts.ts'
import { withDatabase } from '../support/databases.ts'
import { priced, record, settings, upstream } from './sample.ts'
import { eventually } from '../support/eventually.ts'

withDatabase('catalog sync', (open) => {
  let db: Db
  let catalog: Catalog
  let lists: Record<string, CatalogRecord[] | Error>
  let upstreams: CatalogUpstream[]

  const sync = (options: SyncOptions = {}, more: Partial<typeof settings> = {}) =>
    syncCatalog(
      {
        db,
        log: silentLog,
        settings: { ...settings, ...more },
        upstreams,
        read: async (name) => {
          const list = lists[name]
          if (list instanceof Error || list === undefined) throw list ?? new Error('no list')
          return list
        },
      },
      options,
    )
  const load = async () => {
    catalog = await openCatalog({ db, log: silentLog, upstreams })
  }
  const ids = () => catalog.index().models.map((model) => model.id)

  before(async () => {
    db = await open()
  })
  beforeEach(async () => {
    await db.query('delete from pending_prices')
    await db.query('delete from catalog_offers')
    await db.query('alter table price_snapshots disable trigger price_snapshots_final')
    await db.query('delete from price_snapshots')
    await db.query('alter table price_snapshots enable trigger price_snapshots_final')
    await db.query('delete from catalog_models')
    await db.query(
      'update catalog_sync set holder = null, lease_until = null, finished_at = null, retry_at = null',
    )
    lists = { main: [record('a/one'), record('a/two')] }
    upstreams = [upstream('main')]
  })

  test('models appear, and a second sync changes nothing', async () => {
    const first = await sync()
    assert.deepEqual(first, { state: 'done', added: 2, priced: 2, gone: 0, waiting: 0, failed: [] })
    await load()
    assert.deepEqual(ids(), ['a/one', 'a/two'])
    const again = await sync()
    assert.deepEqual(again, { state: 'done', added: 0, priced: 0, gone: 0, waiting: 0, failed: [] })
  })

  test('an offer expires at its hour, without a sync; another upstream serves the model on', async () => {
    const clock = testClock()
    const expires = Math.floor(Date.now() / 1000) + 60
    upstreams = [upstream('main'), upstream('spare', { priority: 2 })]
    lists.main = [record('a/one', { expires }), record('a/two', { expires: expires + 60 })]
    lists.spare = [record('a/one')]
    await sync()
    catalog = await openCatalog({ db, log: silentLog, upstreams, clock })
    const servedBy = (id: string) => catalog.requireModel(id).targets.map((one) => one.upstream)
    assert.deepEqual(
      [servedBy('a/one'), ids()],
      [
        ['main', 'spare'],
        ['a/one', 'a/two'],
      ],
    )
    clock.push(61_000)
    assert.deepEqual([servedBy('a/one'), ids()], [['spare'], ['a/one', 'a/two']])
    clock.push(60_000)
    assert.deepEqual(ids(), ['a/one'])
    assert.throws(() => catalog.requireModel('a/two'), isNotFound)
    await catalog.reload()
    assert.deepEqual(ids(), ['a/one'])
    lists.main = [record('a/one'), record('a/two')]
    await sync()
    await catalog.reload()
    assert.deepEqual(ids(), ['a/one', 'a/two'], 'its date was taken back')
  })

  test('a small change of price makes a new snapshot; the old one stays', async () => {
    await sync()
    await load()
    const old = catalog.requireModel('a/one').priceSnapshotId
    lists.main = [priced('a/one', '0.0000012', '0.000002'), record('a/two')]
    await sync()
    await catalog.reload()
    const model = catalog.requireModel('a/one')
    assert.notEqual(model.priceSnapshotId, old)
    assert.equal(model.prices.prompt, '0.0000012')
    const kept = await db.query('select pricing from price_snapshots where id = $1', [old])
    assert.deepEqual(kept[0]!.pricing, { prompt: '0.000001', completion: '0.000002' })
    await assert.rejects(db.query(`update price_snapshots set priced = 'free'`), /never changed/)
    await assert.rejects(db.query('delete from price_snapshots'), /never changed/)
  })

  test('a leap waits for the operator, and is in force once approved', async () => {
    await sync()
    lists.main = [
      priced('a/one', '0.00001', '0.000002'),
      record('a/two', { pricing: {}, priced: 'unpriced' }),
    ]
    const report = await sync()
    assert.equal(report.state === 'done' && report.waiting, 2)
    await load()
    assert.equal(catalog.requireModel('a/one').prices.prompt, '0.000001')
    assert.deepEqual(ids(), ['a/one', 'a/two'])
    const again = await sync()
    assert.equal(again.state === 'done' && again.waiting, 0, 'it is told once')
    const pending = await readPending(db)
    assert.deepEqual(
      pending.map(({ id, reason }) => [id, reason]),
      [
        ['a/one', 'moved'],
        ['a/two', 'vanished'],
      ],
    )
    const approved = await db.begin((tx) => approvePrices(tx, { ids: ['a/one'], operator: 'asha' }))
    assert.equal(approved.length, 1)
    await catalog.reload()
    assert.equal(catalog.requireModel('a/one').prices.prompt, '0.00001')
    const snapshot = catalog.requireModel('a/one').priceSnapshotId
    const [row] = await db.query('select reason, operator from price_snapshots where id = $1', [
      snapshot,
    ])
    assert.deepEqual({ ...row }, { reason: 'approved', operator: 'asha' })
    assert.equal((await db.begin((tx) => approvePrices(tx, { operator: 'asha' }))).length, 1)
    await catalog.reload()
    assert.throws(() => catalog.requireModel('a/two'), isNotFound)
    assert.equal((await readPending(db)).length, 0)
    const settled = await sync()
    assert.deepEqual(settled.state === 'done' && [settled.priced, settled.waiting], [0, 0])
  })

  test('a leap that is taken back waits no more', async () => {
    await sync()
    lists.main = [priced('a/one', '0.1', '0.000002'), record('a/two')]
    await sync()
    assert.equal((await readPending(db)).length, 1)
    lists.main = [record('a/one'), record('a/two')]
    await sync()
    assert.equal((await readPending(db)).length, 0)
  })

  test('a model that disappears is disabled, keeps its id, and comes back', async () => {
    await sync()
    await load()
    const { resourceId } = catalog.find('a/two')!
    lists.main = [record('a/one')]
    await sync()
    await catalog.reload()
    assert.deepEqual(ids(), ['a/one'])
    assert.equal(catalog.find('a/two')?.enabled, false)
    assert.throws(() => catalog.requireModel('a/two'), isNotFound)
    lists.main = [record('a/one'), record('a/two')]
    await sync()
    await catalog.reload()
    assert.equal(catalog.requireModel('a/two').resourceId, resourceId)
  })

  test('a list that cannot be read, is empty, or lost most of itself changes nothing', async () => {
    lists.main = Array.from({ length: 12 }, (_, i) => record(`a/m${i}`))
    await sync()
    await load()
    lists.main = new Error('down')
    const failed = await sync()
    assert.deepEqual(failed.state === 'done' && failed.failed, ['main'])
    lists.main = []
    await sync()
    lists.main = [record('a/m0')]
    await sync()
    await catalog.reload()
    assert.equal(ids().length, 12)
    await sync({ believe: true })
    await catalog.reload()
    assert.deepEqual(ids(), ['a/m0'])
  })

  test('text that no table can keep does not stop the sync, nor look new every time', async () => {
    lists.main = [record('a/one', { name: 'A\0B \ud800!', description: '\u0000' }), record('a/two')]
    assert.equal((await sync()).state, 'done')
    await load()
    assert.equal(catalog.requireModel('a/one').name, 'AB \ufffd!')
    await sync()
    const [row] = await db.query(
      'select max(changed_at) = min(changed_at) as untouched from catalog_offers',
    )
    assert.equal(row!.untouched, true)
  })

  test('a broken upstream does not stop another one', async () => {
    upstreams = [upstream('main'), upstream('second')]
    lists = { main: new Error('down'), second: [record('b/one')] }
    const report = await sync()
    assert.deepEqual(report.state === 'done' && report.failed, ['main'])
    await load()
    assert.deepEqual(ids(), ['b/one'])
  })

  test('records of the file win over listed ones, at once and whatever they cost', async () => {
    await sync()
    upstreams = [upstream('main', { byHand: [priced('a/one', '1', '2')] })]
    await sync()
    await load()
    assert.equal(catalog.requireModel('a/one').prices.prompt, '1')
    assert.equal((await readPending(db)).length, 0)
    lists.main = new Error('down')
    await sync()
    await catalog.reload()
    assert.equal(catalog.requireModel('a/one').prices.prompt, '1')
    assert.ok(catalog.requireModel('a/two'))
  })

  test('several upstreams serve one model by priority, each under its own id', async () => {
    upstreams = [
      upstream('dear', { priority: 2, margin: '1.5' }),
      upstream('near', { sync: false, byHand: [record('a/one', { upstreamModel: 'one-local' })] }),
    ]
    lists = { dear: [record('a/one')] }
    await sync({}, { PRICE_MARGIN: '1.1' })
    await load()
    const model = catalog.requireModel('a/one')
    assert.deepEqual(
      model.targets.map(({ upstream, model, priority }) => [upstream, model, priority]),
      [
        ['near', 'one-local', 1],
        ['dear', 'a/one', 2],
      ],
    )
    assert.deepEqual(model.margin, { units: 11n, scale: 1 })
    assert.deepEqual(model.targets[1]!.price.margin, { units: 165n, scale: 2 })
    for (const form of ['near/a/one', 'dear:a/one', 'a%2Fone', model.resourceId]) {
      assert.equal(catalog.find(form)?.id, 'a/one', form)
    }
  })

  test('a new margin or rate makes new snapshots of the same dollars, approved or not', async () => {
    await sync()
    lists.main = new Error('down')
    const report = await sync({}, { USD_TO_CREDIT_RATE: '2500' })
    assert.equal(report.state === 'done' && report.priced, 2)
    await load()
    assert.deepEqual(catalog.requireModel('a/one').creditsPerUsd, { units: 2500n, scale: 0 })
    assert.equal(catalog.requireModel('a/one').prices.prompt, '0.000001')
  })

  test('an upstream that left the file serves no more', async () => {
    upstreams = [upstream('main'), upstream('second')]
    lists = { main: [record('a/one')], second: [record('b/one')] }
    await sync()
    upstreams = [upstream('main')]
    await load()
    assert.deepEqual(ids(), ['a/one'])
    await sync()
    const rows = await db.query(`select listed from catalog_offers where upstream = 'second'`)
    assert.equal(rows[0]!.listed, false)
  })

  test('one at a time, and not again while the last reading is fresh', async () => {
    const other = '00000000-0000-7000-8000-000000000001'
    assert.ok(await claimSync(db, { holder: other, leaseS: 60, maxAgeS: 0, settingsHash: '' }))
    assert.deepEqual(await sync(), { state: 'skipped' })
    await dropSync(db, other)
    const both = await Promise.all([sync({ maxAgeS: 60 }), sync({ maxAgeS: 60 })])
    assert.deepEqual(both.map((report) => report.state).toSorted(), ['done', 'skipped'])
    assert.deepEqual(await sync({ maxAgeS: 60 }), { state: 'skipped' })
    assert.equal((await sync()).state, 'done')
  })

  test('a new margin counts at once, and a failed reading is tried again before its time', async () => {
    await sync({ maxAgeS: 3_600 })
    assert.equal((await sync({ maxAgeS: 3_600 }, { PRICE_MARGIN: '2' })).state, 'done')
    lists.main = new Error('down')
    assert.equal((await sync()).state, 'done')
    assert.equal((await sync({ maxAgeS: 3_600 })).state, 'skipped', 'not at once')
    await db.query(`update catalog_sync set retry_at = now() - interval '1 second'`)
    lists.main = [record('a/one')]
    assert.equal((await sync({ maxAgeS: 3_600 })).state, 'done')
    assert.equal((await sync({ maxAgeS: 3_600 })).state, 'skipped', 'all is well again')
  })

  test('a dead holder blocks nobody: its lease runs out', async () => {
    const other = '00000000-0000-7000-8000-000000000002'
    await claimSync(db, { holder: other, leaseS: 60, maxAgeS: 0, settingsHash: '' })
    await db.query(`update catalog_sync set lease_until = now() - interval '1 second'`)
    assert.equal((await sync()).state, 'done')
  })

  test('the operator disables a model, and a sync does not enable it again', async () => {
    const disable = (id: string, disabled: boolean) =>
      db.begin((tx) => setModelDisabled(tx, id, disabled))
    await sync()
    await load()
    assert.deepEqual(await disable('a/one', true), { wasDisabled: false })
    assert.equal(await disable('a/nobody', true), undefined)
    await sync()
    await catalog.reload()
    assert.deepEqual(ids(), ['a/two'])
    assert.deepEqual(await disable('a/one', false), { wasDisabled: true })
    await catalog.reload()
    assert.deepEqual(ids(), ['a/one', 'a/two'])
  })

  test('every process hears of a change by itself', async () => {
    await load()
    assert.deepEqual(ids(), [])
    await sync()
    await eventually('the change is heard of', () => ids().length > 0)
    assert.deepEqual(ids(), ['a/one', 'a/two'])
  })
})

function isNotFound(error: unknown): boolean {
  return error instanceof Failure && error.kind === 'not_found' && error.code === 'model_not_found'
}
