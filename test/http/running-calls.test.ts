import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { RunningCalls, type RunningCall } from '../../src/http/limits/capacity.ts'

type TestCall = RunningCall & { aborted: boolean; body: number[] }

function newCall(onAbort: (call: TestCall) => void = () => {}): TestCall {
  const call: TestCall = {
    aborted: false,
    body: [],
    arrivedBytes: 0,
    cutBody: undefined,
    place: 0,
    abort() {
      call.aborted = true
      onAbort(call)
    },
  }
  return call
}

test('calls end in any order, and those that are left are known', () => {
  const running = new RunningCalls()
  const calls = Array.from({ length: 50 }, () => newCall())
  for (const call of calls) running.begin(call)
  const left = new Set<RunningCall>(calls)
  // 7 and 50 have no divisor in common: each call comes once.
  for (let n = 0; n < calls.length; n++) {
    const call = calls[(n * 7 + 3) % calls.length]!
    running.end(call)
    left.delete(call)
    assert.equal(running.count, left.size)
    assert.deepEqual(new Set(running.all()), left)
    if (n % 5 > 0) continue
    const late = newCall()
    running.begin(late)
    left.add(late)
  }
})

test('all are aborted, also when they end at once', async () => {
  const running = new RunningCalls()
  const calls = Array.from({ length: 10 }, () => newCall((call) => running.end(call)))
  for (const call of calls) running.begin(call)
  const idle = running.whenIdle()
  running.abortAll()
  assert.ok(calls.every(({ aborted }) => aborted))
  assert.equal(running.count, 0)
  await idle
})

/** Kilobytes of memory, after garbage that is young has been collected. */
function usedKb(gc: (options?: { type: 'minor' }) => void): number {
  // What survives the first time is collected or taken for old the second.
  gc({ type: 'minor' })
  gc({ type: 'minor' })
  return process.memoryUsage().heapUsed / 1024
}

test('a call that ended does not keep those that came after it', () => {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as (options?: { type: 'minor' }) => void
  const running = new RunningCalls()
  const inFlight: TestCall[] = []
  const callOften = (times: number) => {
    for (let n = 0; n < times; n++) {
      const call = newCall()
      call.body = Array.from({ length: 125 }, () => n)
      running.begin(call)
      inFlight.push(call)
      if (inFlight.length > 3) running.end(inFlight.shift()!)
      if (n % 1000 === 0) usedKb(gc)
    }
  }
  callOften(1000)
  // From here on what is there is old.
  gc()
  const beforeKb = usedKb(gc)
  callOften(10_000)
  const keptKb = usedKb(gc) - beforeKb
  assert.ok(keptKb < 1_000, `of 10,000 calls with a kilobyte each ${keptKb.toFixed(0)} KB are kept`)
})
