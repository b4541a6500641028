import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHeartbeat } from '../../src/ledger/heartbeat-store.ts'
import { withDatabase } from '../support/databases.ts'

withDatabase('the heartbeat of a process', (open) => {
  test('thousands of beats take no more room than a few', async () => {
    const db = await open()
    const beat = await startHeartbeat(db, '0190a6f0-0000-7000-8000-000000000000')
    const never = new AbortController().signal
    for (let i = 0; i < 3_000; i++) await beat.run(never)
    const [row] = await db.query<{ pages: bigint }>(
      `select pg_relation_size('processes') / 8192 as pages`,
    )
    // 27, were none used again; each moment in which another session looks on costs one.
    assert(row!.pages <= 13n, `${row!.pages} pages`)
  })
})
