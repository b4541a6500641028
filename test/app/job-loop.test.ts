import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBackgroundJobs } from '../../src/app/job-loop.ts'
import { silentLog } from '../../src/lib/log.ts'
import { eventually } from '../support/eventually.ts'

test('the first background job runs at once, again and again, and never beside itself', async () => {
  let runs = 0
  let atOnce = 0
  let most = 0
  const job = {
    name: 'count',
    everyMs: 5,
    async run() {
      runs += 1
      most = Math.max(most, ++atOnce)
      await sleep(10)
      atOnce -= 1
    },
  }
  const jobs = startBackgroundJobs([job], silentLog)
  assert.equal(runs, 1)
  await eventually('it has run three times', () => runs >= 3)
  await jobs.stop()
  const after = runs
  assert.equal(most, 1)
  await sleep(30)
  assert.equal(runs, after)
})

test('background jobs begin one after the other, and one that has not begun when they stop never does', async () => {
  const begun: string[] = []
  const named = (name: string) => ({
    name,
    everyMs: 60_000,
    run: async () => void begun.push(name),
  })
  const jobs = startBackgroundJobs([named('first'), named('second')], silentLog)
  assert.deepEqual(begun, ['first'])
  await eventually('both have begun', () => begun.length === 2)
  await jobs.stop()
  assert.deepEqual(begun, ['first', 'second'])

  begun.length = 0
  await startBackgroundJobs([named('first'), named('second')], silentLog).stop()
  assert.deepEqual(begun, ['first'])
})

test('a background job that throws is logged by name and tried again, and others go on', async () => {
  const warned: unknown[] = []
  let good = 0
  const jobs = startBackgroundJobs(
    [
      { name: 'bad', everyMs: 5, run: () => Promise.reject(new Error('no')) },
      { name: 'good', everyMs: 5, run: async () => void (good += 1) },
    ],
    { ...silentLog, warn: (_message, fields) => warned.push(fields?.job) },
  )
  await eventually('both have run twice', () => warned.length >= 2 && good >= 2)
  await jobs.stop()
  assert(warned.every((job) => job === 'bad'))
  assert(good >= 2)
})

test('stop aborts the signal and waits for what runs', async () => {
  let ended = false
  const job = {
    name: 'slow',
    everyMs: 1_000,
    async run(signal: AbortSignal) {
      await sleep(10_000, undefined, { signal }).catch(() => {})
      await sleep(20)
      ended = true
    },
  }
  const jobs = startBackgroundJobs([job], silentLog)
  await jobs.stop()
  assert(ended)
})
