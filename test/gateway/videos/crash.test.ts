import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startModelSimulator, type ModelSimulator } from '../../../simulator/models/server.ts'
import type { Db } from '../../../src/db/db.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { openStoredAnswers } from '../../../src/idempotency/replay-store.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { runChild } from '../../support/child.ts'
import { freshDatabase } from '../../support/databases.ts'
import { ended, fund, openStudio } from '../../support/models/videos.ts'

/**
 * Where it dies; how often the upstream is then asked to begin, by both together. Where an answer
 * may have come too late for a busy machine, it is asked once more, with the same key.
 */
const CASES: [step: string, submissions: number, orMore?: number][] = [
  ['job_committed:1', 1], // V2: the answer was not sent
  ['claimed:1', 1], // V3: claimed, nobody asked
  ['asking:1', 1],
  ['accepted:1', 2], // V4: the upstream has it, its id is not stored: asked again, same key
  ['saved:1', 1],
  ['claimed:2', 1, 2], // V5: polling
  ['outcome:1', 1, 2], // V6: completed there, not settled here
  ['end_written:1', 1, 2],
  ['end_committed:1', 1, 2], // V7
]

describe('kill -9 of a replica at each step of a video job', { concurrency: false }, () => {
  let url: string
  let db: Db
  let simulator: ModelSimulator
  let asha: string

  before(async () => {
    url = await freshDatabase()
    db = openDatabase({ url, poolSize: 4, log: silentLog })
    simulator = await startModelSimulator({ latency: { videoMs: 30 } })
    asha = await fund(db, '100000')
  })
  after(async () => {
    await simulator.close()
    await db.close()
  })

  for (const [at, submissions, orMore = submissions] of CASES) {
    test(at, async () => {
      simulator.log.clear()
      const key = `key ${at}`
      const file = 'test/gateway/videos/children/video-process.ts'
      const child = runChild(file, [url, simulator.url, simulator.apiKey, asha, key, at])
      assert.equal(await child.ended, null, 'it was killed')
      const storedAnswers = openStoredAnswers({ db, processId: uuidv7() })
      const kept = await storedAnswers.claim({ accountId: asha, key, route: 'POST /v1/videos' })
      assert.equal(kept.state, 'stored')
      const id = String(kept.state === 'stored' && (kept.answer.body as Buffer))
      const survivor = await openStudio({ db, simulators: [simulator] })
      survivor.begin()
      try {
        assert.equal((await ended(db, id)).status, 'completed')
      } finally {
        await survivor.close()
      }
      const asked = simulator.log.count({ route: '/videos' })
      assert.ok(submissions <= asked && asked <= orMore, `asked ${asked} times`)
      assert.equal(simulator.log.count({ route: '/videos', idempotencyKey: id }), asked)
      const charges = await db.query('select id from ledger_entries where key = $1', [
        `usage:${id}`,
      ])
      assert.equal(charges.length, 1)
      await assertAgreement(db)
    })
  }

  test('one job and one charge for each', async () => {
    const [row] = await db.query<Record<string, bigint>>(
      `select (select count(*) from video_jobs) as jobs,
         (select count(*) from ledger_entries where type = 'usage') as charges`,
    )
    assert.deepEqual(row, { jobs: BigInt(CASES.length), charges: BigInt(CASES.length) })
  })
})
