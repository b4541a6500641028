import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '../../../src/lib/failure.ts'
import {
  Fault,
  StatusFault,
  failureOf,
  isCallers,
  maybeAccepted,
  rateLimited,
  troubleOf,
  type FaultKind,
  type Trouble,
} from '../../../src/upstream/contract/fault.ts'

const overloaded: Trouble = { kind: 'overloaded', retryAfterS: 9 }
const provider = { failure: () => overloaded }

describe('what a fault means', () => {
  it('a status is read by the provider, unless the call takes it for gone', () => {
    const fault = new StatusFault(404)
    assert.deepEqual(troubleOf(fault, provider, {}), overloaded)
    assert.deepEqual(troubleOf(fault, provider, { gone: [404] }), { kind: 'rejected', why: 'gone' })
  })

  it('too large is the caller’s where the caller set the cap, else the upstream’s', () => {
    const fault = new Fault('too_large', 'body')
    assert.deepEqual(troubleOf(fault, provider, { overflow: 'caller' }), { kind: 'oversized' })
    assert.deepEqual(troubleOf(fault, provider, {}), { kind: 'failed' })
  })

  it('only a fault of the caller is not tried elsewhere', () => {
    const cases: [Trouble, boolean][] = [
      [{ kind: 'rejected', why: 'request' }, true],
      [{ kind: 'oversized' }, true],
      [{ kind: 'aborted' }, true],
      [{ kind: 'missing' }, false],
      [{ kind: 'account', why: 'out_of_money' }, false],
      [{ kind: 'rate_limited', retryAfterS: 1 }, false],
      [overloaded, false],
      [{ kind: 'failed' }, false],
    ]
    for (const [trouble, callers] of cases) assert.equal(isCallers(trouble), callers, trouble.kind)
  })
})

describe('whether a request may have been accepted', () => {
  const CASES: Record<FaultKind, boolean> = {
    refused: false,
    status: false,
    redirect: false,
    timeout: true,
    reset: true,
    garbage: true,
    too_large: true,
    aborted: true,
  }

  for (const [kind, accepted] of Object.entries(CASES)) {
    it(`${kind}: ${accepted ? 'perhaps' : 'no'}`, () => {
      const fault = new Fault(kind as FaultKind, 'x')
      assert.equal(maybeAccepted(failureOf({ kind: 'failed' }, fault)), accepted)
    })
  }

  it('never when no upstream was called', () => {
    assert.equal(maybeAccepted(rateLimited(3)), false)
    assert.equal(maybeAccepted(new Failure('unsuitable', 'no words for it')), false)
  })
})
