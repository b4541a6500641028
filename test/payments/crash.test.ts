import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MoneySimulator } from '../../simulator/money/server.ts'
import { startBackgroundJobs } from '../../src/app/job-loop.ts'
import type { Db } from '../../src/db/db.ts'
import { openDatabase } from '../../src/db/database.ts'
import { silentLog } from '../../src/lib/log.ts'
import { findById } from '../../src/payments/payments-read-store.ts'
import { assertAudit } from '../support/money/audit.ts'
import { freshDatabase } from '../support/databases.ts'
import { jwtHeaders } from '../support/server.ts'
import { freePort } from '../support/free-port.ts'
import { creditsFor, FAST, startMoney, startPayments } from '../support/payments.ts'
import { eventually } from '../support/eventually.ts'

type Provider = 'snippe' | 'clickpesa'

/** Where it dies, which outcome the phone chooses, and how soon the next scheduled check is. */
type Case = { at: string; phone: string; pollS: number }

const POLL = { phone: '1230004', pollS: 0.1 }
const CALLBACK = { phone: '1230001', pollS: 2 }
const CASES: Case[] = [
  { at: 'row_committed:1', ...POLL }, // P1: the provider was never called
  { at: 'claimed:1', ...POLL },
  { at: 'found:1', ...POLL }, // P2: created there, their reference not stored here
  { at: 'finding_written:1', ...POLL },
  { at: 'finding_committed:1', ...POLL },
  { at: 'claimed:2', ...POLL },
  { at: 'found:2', ...POLL },
  { at: 'credit_written:1', ...POLL },
  { at: 'credit_committed:1', ...POLL },
  { at: 'callback_authentic:1', ...CALLBACK },
  { at: 'callback_kept:1', ...CALLBACK },
  { at: 'found:2', ...CALLBACK }, // P3
  { at: 'credit_written:1', ...CALLBACK },
  { at: 'credit_committed:1', ...CALLBACK }, // P4
]
/** Where the two providers differ: how a lost create is found, and how a callback speaks. */
const RUNS: (Case & { provider: Provider })[] = [
  ...CASES.map((one) => ({ ...one, provider: 'snippe' as const })),
  ...[2, 7, 9, 10].map((i) => ({ ...CASES[i]!, provider: 'clickpesa' as const })),
]

describe('kill -9 between each two steps, then a restart', () => {
  let url: string
  let db: Db
  let simulator: MoneySimulator
  let port: number
  const children = new Set<ChildProcess>()

  before(async () => {
    url = await freshDatabase()
    db = openDatabase({ url, poolSize: 4, log: silentLog })
    simulator = await startMoney({ fastMs: 300, retryMs: 300 })
    port = await freePort()
  })
  after(async () => {
    for (const child of children) child.kill('SIGKILL')
    await assertAudit(db)
    await db.close()
    await simulator.close()
  })

  /** The one that dies, by itself in a process. */
  async function startDoomed(
    provider: Provider,
    { at, phone, pollS }: Case,
  ): Promise<ChildProcess> {
    simulator.control.setClickpesaWebhook(
      `http://127.0.0.1:${port}/v1/payments/callbacks/clickpesa`,
    )
    const child = fork(join(import.meta.dirname, 'children/crash.ts'), {
      env: {
        ...process.env,
        CRASH_AT: at,
        DATABASE: url,
        SIMULATOR: simulator.url,
        PORT: String(port),
        PROVIDER: provider,
        PHONE: phone,
        POLL_S: String(pollS),
      },
      execArgv: [],
    })
    children.add(child)
    child.once('exit', () => children.delete(child))
    await once(child, 'message')
    return child
  }

  /** The one that is started after it, in this process: it knows only what the database knows. */
  async function startAgain(provider: Provider, { phone, pollS }: Case) {
    const timing = { ...FAST, pendingS: [pollS] }
    const where = { db, provider, simulator: { url: simulator.url }, port }
    const service = await startPayments({ ...where, phone, timing })
    const { reconcile } = service.payments
    const jobs = startBackgroundJobs([{ name: 'payments', everyMs: 50, run: reconcile }], silentLog)
    return async () => {
      await jobs.stop()
      await service.close()
    }
  }

  /** The answer may be lost with the process; the same key then finds the payment that was made. */
  async function topUp(key: string): Promise<{ id: string; reference: string } | undefined> {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/v1/payments/topup`, {
        method: 'POST',
        headers: { ...jwtHeaders, 'content-type': 'application/json', 'idempotency-key': key },
        body: JSON.stringify({ amount_tzs: 5000 }),
      })
      const body = (await answer.json()) as { data: { id: string; reference: string } }
      assert.equal(answer.status, 201)
      return body.data
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      return undefined
    }
  }

  for (const [i, { provider, ...one }] of RUNS.entries()) {
    test(`${provider}, ${one.phone === POLL.phone ? 'poll' : 'callback'}, ${one.at}`, async () => {
      const key = `key-${i}`
      const doomed = await startDoomed(provider, one)
      const died = once(doomed, 'exit')
      const first = await topUp(key)
      assert.deepEqual(await died, [null, 'SIGKILL'])
      const stop = await startAgain(provider, one)
      const again = await topUp(key)
      assert(again)
      if (first) assert.equal(again.id, first.id)
      await completed(again.id)
      await sleep(50)
      assert.deepEqual(await creditsFor(db, again.id), [5_000_000_000n])
      const theirs = simulator.control.payments().filter((p) => p.callerRef === again.reference)
      assert.deepEqual(
        theirs.map(({ status }) => status),
        ['completed'],
      )
      await stop()
    })
  }

  test('one payment per key, one push per payment', async () => {
    const [row] = await db.query<{ n: bigint }>('select count(*) as n from payments')
    assert.equal(Number(row!.n), RUNS.length)
    assert.equal(simulator.control.payments().length, RUNS.length)
  })

  async function completed(id: string): Promise<void> {
    await eventually('the payment is completed', async () => {
      return (await findById(db, id))?.status === 'completed'
    })
  }
})
