import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startHeartbeat } from '../../src/ledger/heartbeat-store.ts'
import { withDatabase } from '../support/databases.ts'

withDatabase('the heartbeat of a process', (open) => {
  test('beats use the room of earlier ones again', async () => {
    const db = await open()
    const beat = await startHeartbeat(db, '0190a6f0-0000-7000-8000-000000000000')
    const never = new AbortController().signal
    const pagesAfter300 = async () => {
      for (let i = 0; i < 300; i++) await beat.run(never)
      const [row] = await db.query<{ pages: bigint }>(
        `select pg_relation_size('processes') / 8192 as pages`,
      )
      return row!.pages
    }
    // Were no room used again, every 300 beats would take two pages or three. While another
    // session looks on they may take one, so the first round without a new page decides.
    let before = await pagesAfter300()
    for (let round = 0; round < 30; round++) {
      const pages = await pagesAfter300()
      if (pages === before) return
      before = pages
    }
    assert.fail(`${before} pages after 9,300 beats, and every round took a new one`)
  })
})
