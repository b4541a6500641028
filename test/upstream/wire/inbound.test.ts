import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, it } from 'node:test'
import type { Dispatcher } from 'undici'
import { Deadline, DEFAULT_TIMEOUTS, Inbound } from '../../../src/upstream/wire/inbound.ts'

/** Stands where the client library's own would: nothing is paused or aborted here. */
const controller = {} as Dispatcher.DispatchController

describe('an answer as it comes in', () => {
  it('does not wake a reader for what it has found and taken already', async () => {
    const inbound = new Inbound(new Deadline(DEFAULT_TIMEOUTS, undefined))
    inbound.onRequestStart(controller)
    inbound.onResponseStart(controller, 200, {})
    inbound.onResponseData(controller, Buffer.from('a'))
    assert.equal(String(inbound.take()), 'a')
    let woken = false
    const more = inbound.more().then(() => (woken = true))
    await nextTurn()
    await nextTurn()
    assert.equal(woken, false)
    inbound.onResponseData(controller, Buffer.from('b'))
    inbound.onResponseEnd()
    await more
    assert.equal(String(inbound.take()), 'b')
    assert.equal(inbound.take(), undefined)
  })

  it('gives the head of an answer that breaks off in the same turn, then what broke it', async () => {
    const inbound = new Inbound(new Deadline(DEFAULT_TIMEOUTS, undefined))
    inbound.onRequestStart(controller)
    inbound.onResponseStart(controller, 200, {})
    inbound.onResponseError(controller, Object.assign(new Error('reset'), { code: 'ECONNRESET' }))
    assert.equal((await inbound.head).status, 200)
    assert.throws(() => inbound.take(), { kind: 'reset' })
  })
})
