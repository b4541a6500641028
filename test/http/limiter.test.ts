import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import * as fc from 'fast-check'
import { openLimiter } from '../../src/http/limits/limiter.ts'
import { ProcessCounter } from '../../src/http/limits/process-counter.ts'
import { silentLog, type Log } from '../../src/lib/log.ts'
import { redisServers } from '../support/peers/redis.ts'
import { eventually } from '../support/eventually.ts'

const START = Date.parse('2026-01-01T00:00:00Z')

function movable() {
  let nowMs = START
  return { now: () => new Date(nowMs), pass: (ms: number) => (nowMs += ms) }
}

test('as many calls as the limit pass in a minute, then calls are refused with the time to wait', () => {
  const clock = movable()
  const counter = new ProcessCounter(clock)
  for (let i = 0; i < 60; i++) {
    const slot = counter.take('a', 60)
    assert.equal(slot.allowed, true)
    assert.equal(slot.remaining, 59 - i)
  }
  const refused = counter.take('a', 60)
  assert.equal(refused.allowed, false)
  assert.equal(refused.remaining, 0)
  assert.equal(counter.take('b', 60).allowed, true, 'another bucket')
  clock.pass((refused.retryAfterS - 1) * 1000)
  assert.equal(counter.take('a', 60).allowed, false, 'not a second too early')
  clock.pass(1000)
  assert.equal(counter.take('a', 60).allowed, true)
})

test('the limit recovers gradually, and fully by the time that is announced', () => {
  const clock = movable()
  const counter = new ProcessCounter(clock)
  for (let i = 0; i < 100; i++) counter.take('a', 100)
  clock.pass(90_000)
  let through = 0
  while (counter.take('a', 100).allowed) through++
  assert.equal(through, 50)
  const { resetS } = counter.take('a', 100)
  clock.pass(resetS * 1000)
  assert.equal(counter.take('a', 100).remaining, 99)
})

test('whatever the pattern: no more than the limit by its own measure, and Retry-After holds', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 20_000 }), { maxLength: 200 })
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 20 }), (waits, perMinute) => {
      const clock = movable()
      const counter = new ProcessCounter(clock)
      const passed: number[] = []
      for (const wait of waits) {
        clock.pass(wait)
        const slot = counter.take('a', perMinute)
        if (slot.allowed) passed.push(clock.now().getTime())
        else assert.ok(slot.retryAfterS >= 1 && slot.retryAfterS <= 120)
        const aligned = Math.floor(clock.now().getTime() / 60_000)
        const inMinute = passed.filter((at) => Math.floor(at / 60_000) === aligned).length
        assert.ok(inMinute <= perMinute)
      }
      let slot = counter.take('a', perMinute)
      if (!slot.allowed) {
        clock.pass(slot.retryAfterS * 1000)
        slot = counter.take('a', perMinute)
        assert.equal(slot.allowed, true)
      }
    }),
    { numRuns: 200 },
  )
})

test('the number of buckets is bounded, and the newest stay', () => {
  const counter = new ProcessCounter(movable(), 1000)
  for (let i = 0; i < 5000; i++) counter.take(`address:${i}`, 1)
  assert.equal(counter.size, 1000)
  assert.equal(counter.take('address:4999', 1).allowed, false)
})

const servers = await redisServers()
for (const server of servers) {
  describe(`shared through Redis (${server.name})`, () => {
    after(() => server.stop())

    test('two processes share one limit', async () => {
      const clock = movable()
      const one = await openLimiter({ REDIS_URL: server.url }, silentLog, clock)
      const two = await openLimiter({ REDIS_URL: server.url }, silentLog, clock)
      const slots = await Promise.all(
        Array.from({ length: 60 }, async (_, i) => (i % 2 ? one : two).take('shared', 40)),
      )
      assert.equal(slots.filter((slot) => slot.allowed).length, 40)
      await pause(50)
      clock.pass(90_000)
      const later = await one.take('shared', 40)
      assert.equal(later.remaining, 40 - 20 - 1, 'refused calls did not count')
      await one.close()
      await two.close()
    })

    test('Redis unreachable: each process counts for itself and logs it once; reachable: shared again', async () => {
      const messages: string[] = []
      const log: Log = {
        ...silentLog,
        warn: (message) => void messages.push(message),
        info: (message) => void messages.push(message),
      }
      const limiter = await openLimiter({ REDIS_URL: server.url }, log, movable())
      assert.equal((await limiter.take('x', 2)).allowed, true)
      await server.stop()
      const slots = []
      for (let i = 0; i < 5; i++) slots.push(await limiter.take('x', 2))
      assert.deepEqual(
        slots.map((slot) => slot.allowed),
        [true, true, false, false, false],
      )
      await server.start()
      await eventually('both are said', () => messages.length === 2)
      assert.equal((await limiter.take('x', 2)).allowed, true, 'the restarted Redis knows nothing')
      assert.equal(messages.length, 2)
      assert.match(messages[0]!, /does not answer/)
      assert.match(messages[1]!, /answers again/)
      await limiter.close()
    })
  })
}

test('the service starts while Redis is unreachable', async () => {
  const limiter = await openLimiter({ REDIS_URL: 'redis://127.0.0.1:1' }, silentLog)
  assert.equal((await limiter.take('x', 1)).allowed, true)
  assert.equal((await limiter.take('x', 1)).allowed, false)
  await limiter.close()
})
