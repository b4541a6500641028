import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { seal, unseal } from '../../src/lib/secrets.ts'

describe('sealed secrets', () => {
  it('open with the same key for the same row only', () => {
    const key = Buffer.alloc(32, 1)
    const sealed = seal(key, Buffer.from('siri'), 'row 1')
    assert.equal(unseal(key, sealed, 'row 1').toString(), 'siri')
    assert.throws(() => unseal(key, sealed, 'row 2'))
    assert.throws(() => unseal(Buffer.alloc(32, 2), sealed, 'row 1'))
    sealed[30]! ^= 1
    assert.throws(() => unseal(key, sealed, 'row 1'))
  })
})
