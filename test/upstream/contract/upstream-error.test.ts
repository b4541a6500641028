import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '../../../src/lib/failure.ts'
import {
  UpstreamError,
  StatusError,
  failureOf,
  isFinal,
  maybeAccepted,
  rateLimited,
  classifyError,
  type UpstreamErrorKind,
  type ErrorCategory,
} from '../../../src/upstream/contract/upstream-error.ts'

const overloaded: ErrorCategory = { kind: 'overloaded', retryAfterS: 9 }
const provider = { classify: () => overloaded, errorMessage: () => 'Door 7 is closed' }

describe('what a error means', () => {
  it('a status is read by the provider, unless the call takes it for gone', () => {
    const error = new StatusError(404)
    assert.deepEqual(classifyError(error, provider, {}), overloaded)
    assert.deepEqual(classifyError(error, provider, { gone: [404] }), {
      kind: 'rejected',
      why: 'gone',
    })
  })

  it('too large is the caller’s where the caller set the cap, else the upstream’s', () => {
    const error = new UpstreamError('too_large', 'body')
    assert.deepEqual(classifyError(error, provider, { overflow: 'caller' }), { kind: 'oversized' })
    assert.deepEqual(classifyError(error, provider, {}), { kind: 'failed' })
  })

  it('what the caller caused, and what was done, is not tried elsewhere', () => {
    const cases: [ErrorCategory, boolean][] = [
      [{ kind: 'rejected', why: 'request' }, true],
      [{ kind: 'oversized' }, true],
      [{ kind: 'refused' }, true],
      [{ kind: 'aborted' }, true],
      [{ kind: 'missing' }, false],
      [{ kind: 'account', why: 'out_of_money' }, false],
      [{ kind: 'rate_limited', retryAfterS: 1 }, false],
      [overloaded, false],
      [{ kind: 'failed' }, false],
    ]
    for (const [category, final] of cases) assert.equal(isFinal(category), final, category.kind)
  })
})

describe('whether a request may have been accepted', () => {
  const CASES: Record<UpstreamErrorKind, boolean> = {
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
      const error = new UpstreamError(kind as UpstreamErrorKind, 'x')
      assert.equal(maybeAccepted(failureOf({ kind: 'failed' }, error)), accepted)
    })
  }

  it('never when no upstream was called', () => {
    assert.equal(maybeAccepted(rateLimited(3)), false)
    assert.equal(maybeAccepted(new Failure('unsuitable', 'no words for it')), false)
  })
})
