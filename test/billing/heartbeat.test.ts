import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHeartbeat } from '../../src/billing/heartbeat-store.ts'
import { tablesDueForUpkeep } from '../../src/db/upkeep-store.ts'
import { upkeep } from '../../src/jobs/upkeep.ts'
import { onEachEngine } from '../support/databases.ts'

onEachEngine('upkeep', (open) => {
  test('the embedded engine clears what changed much; a server does it by itself', async () => {
    const db = await open()
    await db.script(`create table "Worn out" (id int, n int unique);
      insert into "Worn out" select g, g * 100 from generate_series(1, 1000) g`)
    for (let i = 0; i < 5; i++) await db.script('update "Worn out" set n = n + 1')
    const size = () => db.query(`select pg_relation_size('"Worn out"') as size`)
    const duties = upkeep(db)
    if (db.engine === 'server') return assert.deepEqual(duties, [])
    await db.query('select pg_stat_force_next_flush()')
    assert((await tablesDueForUpkeep(db)).includes('"Worn out"'))
    await duties[0]!.run(new AbortController().signal)
    const before = await size()
    for (let i = 0; i < 5; i++) await db.script('update "Worn out" set n = n + 1')
    assert.deepEqual(await size(), before)
  })

  test('hundreds of beats take no more room than a few', async () => {
    const db = await open()
    const beat = await startHeartbeat(db, '0190a6f0-0000-7000-8000-000000000000')
    const never = new AbortController().signal
    for (let i = 0; i < 400; i++) await beat.run(never)
    const [row] = await db.query<{ pages: bigint }>(
      `select pg_relation_size('processes') / 8192 as pages`,
    )
    assert(row!.pages <= 2n, `${row!.pages} pages`)
  })
})
