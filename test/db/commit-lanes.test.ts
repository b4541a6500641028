import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { commitLanes } from '../../src/db/commit-lanes.ts'
import type { Db, Tx } from '../../src/db/db.ts'
import { onEachEngine } from '../support/databases.ts'

onEachEngine('commit lanes', (open) => {
  let db: Db
  before(async () => {
    db = await open()
    await db.script('create table step (lane text, n int8, seq int8 generated always as identity)')
  })

  type Item = { lane: string; n: number }
  let running = 0
  let most = 0
  async function insert(tx: Tx, items: Item[]): Promise<number[]> {
    most = Math.max(most, ++running)
    await tx.query('insert into step (lane, n) select * from unnest($1::text[], $2::int8[])', [
      items.map(({ lane }) => lane),
      items.map(({ n }) => n),
    ])
    running -= 1
    return items.map(({ n }) => n)
  }

  test('a lane keeps its order, and lanes do not wait for each other', async () => {
    const commits = commitLanes({ db, apply: insert, lanes: 4, laneOf: ({ lane }) => lane })
    const items = Array.from({ length: 200 }, (_, n) => ({ lane: `lane ${n % 10}`, n }))
    const results = await Promise.all(items.map((item) => commits.submit(item)))
    assert.deepEqual(
      results,
      items.map(({ n }) => n),
    )
    await commits.idle()
    const rows = await db.query<{ lane: string; ns: bigint[] }>(
      'select lane, array_agg(n order by seq) as ns from step group by lane',
    )
    assert.equal(rows.length, 10)
    for (const { ns } of rows) {
      assert.deepEqual(
        ns,
        [...ns].sort((a, b) => Number(a - b)),
      )
    }
    // The embedded engine does one thing at a time: one lane there.
    if (db.engine === 'server') assert.ok(most > 1, 'transactions ran side by side')
    else assert.equal(most, 1)
  })
})
