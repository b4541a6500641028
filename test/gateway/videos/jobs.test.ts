import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startModelSimulator, type ModelSimulator } from '../../../simulator/models/server.ts'
import type { Db } from '../../../src/db/db.ts'
import { holdsOfLiveJobs } from '../../../src/gateway/videos/jobs-store.ts'
import { sweeper } from '../../../src/ledger/sweeper.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { assertAgreement } from '../../support/money/agreement.ts'
import { NOBODY } from '../../support/money/billing.ts'
import { withDatabase } from '../../support/databases.ts'
import { ended, fund, openStudio } from '../../support/models/videos.ts'
import { eventually } from '../../support/eventually.ts'

/** 4 s at $0.10 and 3,000 credits a dollar; the highest price that fits is $0.10 too. */
const COST = 1_200_000_000n

withDatabase('video jobs', (open) => {
  let db: Db
  let simulator: ModelSimulator
  let asha: string
  const opened: Awaited<ReturnType<typeof openStudio>>[] = []

  const studio = async (more: Partial<Parameters<typeof openStudio>[0]> = {}) => {
    const made = await openStudio({ db, simulators: [simulator], ...more })
    opened.push(made)
    return made
  }
  const balance = async () => {
    const [row] = await db.query<{ balance_micro: bigint; held_micro: bigint }>(
      'select balance_micro, held_micro from ledger_accounts where account_id = $1',
      [asha],
    )
    return row!
  }

  before(async () => {
    db = await open()
    simulator = await startModelSimulator({ faults: true, latency: { videoMs: 60 } })
    asha = await fund(db, '100000')
  })
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close()
    simulator.heal()
    await assertAgreement(db)
  })
  after(() => simulator.close())

  test('pending with its hold, then processing, then completed: charged once, notified once', async () => {
    const { begin, submit, news } = await studio()
    const before = await balance()
    const id = await submit(asha)
    const [row] = await db.query('select status, request from video_jobs where id = $1', [id])
    assert.equal(row!.status, 'pending')
    assert.equal((await balance()).held_micro, COST)
    begin()
    assert.deepEqual(await ended(db, id), {
      status: 'completed',
      cost_micro: COST,
      error_code: null,
    })
    assert.equal((await balance()).balance_micro, before.balance_micro - COST)
    assert.deepEqual(news, [
      { accountId: asha, type: 'video.completed', data: { video_id: id, model: 'sim/filamu' } },
    ])
    const [kept] = await db.query('select request, lease from video_jobs where id = $1', [id])
    assert.deepEqual(kept, { request: null, lease: null })
    const [record] = await db.query('select * from activity_records where id = $1', [id])
    assert.equal(record!.kind, 'video')
    assert.equal(record!.estimated, false)
    const [sent] = simulator.log.find({ route: '/videos', idempotencyKey: id })
    assert.deepEqual((sent!.body as Record<string, unknown>).duration, 4)
  })

  const ends: [string, { status: string; cost_micro: bigint | null; error_code: string | null }][] =
    [
      ['video-failed', stopped('failed', 'content_policy_violation')],
      ['video-cancelled', stopped('cancelled', 'cancelled')],
      ['video-expired', stopped('expired', 'expired')],
      ['video-forgotten', stopped('expired', 'expired')],
      ['status-400', stopped('failed', 'invalid_parameter')],
      ['content-policy', stopped('failed', 'content_policy_violation')],
      ['status-500', stopped('failed', 'upstream_unavailable')],
      ['status-402', stopped('failed', 'upstream_unavailable')],
      ['video-no-usage', { status: 'completed', cost_micro: COST, error_code: null }],
      ['video-cents', { status: 'completed', cost_micro: COST, error_code: null }],
      ['cost-negative', { status: 'completed', cost_micro: COST, error_code: null }],
      ['usage-zero', { status: 'completed', cost_micro: 0n, error_code: null }],
    ]
  test('every way a job can end, and what it costs', async () => {
    const { begin, submit } = await studio()
    begin()
    for (const [fault, end] of ends) {
      const id = await submit(asha, { model: `sim/video-fault-${fault}` })
      assert.deepEqual(await ended(db, id), end, fault)
      const [record] = await db.query('select status from activity_records where id = $1', [id])
      const expected = end.status === 'expired' ? 'failed' : end.status
      assert.equal(record!.status, expected, fault)
    }
  })

  test('nothing is decided without a clear answer: unknown statuses, garbage and silence wait for the deadline', async () => {
    const { begin, submit } = await studio()
    begin()
    const faults = ['video-unknown', 'video-backwards', 'video-no-url', 'video-forever']
    const jobs = await Promise.all(
      [...faults, 'video-poll-500'].map((one) => submit(asha, { model: `sim/video-fault-${one}` })),
    )
    const statuses = async () => {
      const select = 'select status from video_jobs where id = any($1::uuid[])'
      return [...new Set((await db.query(select, [jobs])).map((row) => row.status))]
    }
    await eventually('all are accepted', async () => (await statuses()).join() === 'processing')
    simulator.log.clear()
    await eventually(
      'many polls were answered',
      () => simulator.log.count({ route: '/videos/{id}' }) > 3 * jobs.length,
    )
    assert.deepEqual(await statuses(), ['processing'])
    await db.query('update video_jobs set deadline = now() where id = any($1::uuid[])', [jobs])
    for (const id of jobs) assert.deepEqual(await ended(db, id), stopped('expired', 'expired'))
  })

  test('a poll that fails, in whatever way, is followed by another', async () => {
    const { begin, submit } = await studio()
    simulator.log.clear()
    const faults = ['hang', 'drop', 'html', 'bad-json', 'other-shape', 'status-503']
    for (const fault of faults) simulator.fail({ fault, route: '/videos/{id}', times: 1 })
    begin()
    const id = await submit(asha)
    assert.equal((await ended(db, id)).status, 'completed')
    const polls = simulator.log.find({ route: '/videos/{id}' }).map((entry) => entry.fault)
    assert.deepEqual(polls.slice(0, faults.length), faults)
  })

  test('a submission whose answer is lost is repeated with the same key to the same upstream', async () => {
    const other = await startModelSimulator({ faults: true })
    try {
      simulator.fail({ fault: 'other-shape', route: '/videos', times: 1 })
      const { begin, submit } = await studio({ simulators: [simulator, other] })
      begin()
      const id = await submit(asha)
      assert.equal((await ended(db, id)).status, 'completed')
      assert.equal(simulator.log.count({ route: '/videos', idempotencyKey: id }), 2)
      assert.equal(other.log.count({ route: '/videos' }), 0)
    } finally {
      await other.close()
    }
  })

  test('workers that race settle once', async () => {
    const seen: string[] = []
    const onStep = async (step: string) => {
      seen.push(step)
      // Longer than the lease: every claim is lost in the middle, and another worker comes in.
      if (step === 'outcome' && seen.filter((one) => one === step).length < 3) await sleep(700)
    }
    const before = await balance()
    const [one, two] = [await studio({ onStep }), await studio({ onStep })]
    const id = await one.submit(asha)
    one.begin()
    two.begin()
    assert.equal((await ended(db, id)).status, 'completed')
    await sleep(800)
    assert.ok(seen.filter((step) => step === 'outcome').length >= 2, 'two brought an outcome')
    assert.equal(seen.filter((step) => step === 'end_committed').length, 1)
    assert.equal((await balance()).balance_micro, before.balance_micro - COST)
    assert.equal(one.news.length + two.news.length, 1)
  })

  test('the sweeper leaves the hold of a live job, and a worker renews it', async () => {
    const { submit, begin } = await studio()
    const id = await submit(asha, { model: 'sim/video-fault-video-forever' })
    await db.query(`update holds set deadline = now() - interval '1 hour' where owner_job = $1`, [
      id,
    ])
    await db.query(`update video_jobs set hold_until = now() where id = $1`, [id])
    await sweep()
    assert.equal((await balance()).held_micro, COST)
    begin()
    await eventually('the hold is renewed', async () => {
      const [row] = await db.query<{ ahead: boolean }>(
        'select deadline > now() as ahead from holds where owner_job = $1',
        [id],
      )
      return row!.ahead
    })
    await db.query('update video_jobs set deadline = now(), next_look_at = now() where id = $1', [
      id,
    ])
    assert.deepEqual(await ended(db, id), stopped('expired', 'expired'))
    assert.equal((await balance()).held_micro, 0n)
  })

  test('a stopped worker gives its claims back, and another continues', async () => {
    const first = await studio({ worker: { timing: { leaseS: 600 } } })
    simulator.fail({ fault: 'hang', route: '/videos', times: 1 })
    first.begin()
    const id = await first.submit(asha)
    await simulator.log.until({ route: '/videos', idempotencyKey: id })
    await first.close()
    const [row] = await db.query('select lease, status from video_jobs where id = $1', [id])
    assert.deepEqual(row, { lease: null, status: 'pending' })
    const second = await studio()
    second.begin()
    assert.equal((await ended(db, id)).status, 'completed')
  })

  const sweep = () =>
    sweeper({
      db,
      log: silentLog,
      onReleased: async () => assert.fail('a hold was taken from a live job'),
      own: NOBODY,
      claimed: (tx, holds) =>
        holdsOfLiveJobs(
          tx,
          holds.map(({ owner }) => ('job' in owner ? owner.job : '')),
        ),
    }).run(new AbortController().signal)
})

function stopped(status: string, error_code: string) {
  return { status, cost_micro: null, error_code }
}
