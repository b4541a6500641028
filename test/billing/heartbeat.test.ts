import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startHeartbeat } from '../../src/billing/heartbeat-store.ts'
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

  test('it knows since when nobody can have taken the process for dead, and how many there are', async () => {
    const db = await open()
    const never = new AbortController().signal
    let nowMs = 1_000
    const beat = await startHeartbeat(db, randomUUID(), () => nowMs)
    assert.equal(beat.steadySinceMs(), 1_000)
    const before = beat.processes()
    nowMs = 6_000
    await startHeartbeat(db, randomUUID())
    await beat.run(never)
    assert.equal(beat.processes(), before + 1)
    assert.equal(beat.steadySinceMs(), 1_000)
    nowMs = 16_000
    assert.equal(beat.steadySinceMs(), Infinity)
    // Frozen for longer than it takes to be declared dead.
    nowMs = 60_000
    await beat.run(never)
    assert.equal(beat.steadySinceMs(), 60_000)
  })
})
