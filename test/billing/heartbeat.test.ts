import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHeartbeat } from '../../src/billing/heartbeat-store.ts'
import { withDatabase } from '../support/databases.ts'

withDatabase('the heartbeat of a process', (open) => {
  test('a thousand beats take no more room than a few', async () => {
    const db = await open()
    const beat = await startHeartbeat(db, '0190a6f0-0000-7000-8000-000000000000')
    const never = new AbortController().signal
    for (let i = 0; i < 1_000; i++) await beat.run(never)
    const [row] = await db.query<{ pages: bigint }>(
      `select pg_relation_size('processes') / 8192 as pages`,
    )
    // Nine, were none used again; a moment in which another session looks on costs one.
    assert(row!.pages <= 4n, `${row!.pages} pages`)
  })
})
