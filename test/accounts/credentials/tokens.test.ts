import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assert as check, property, string } from 'fast-check'
import {
  isOurRefreshToken,
  readRefreshToken,
  writeRefreshToken,
} from '../../../src/accounts/credentials/tokens.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { naughtyStrings } from '../../support/samples/naughty.ts'

describe('refresh tokens', () => {
  const key = Buffer.alloc(32, 7)
  const session = { id: uuidv7(), counter: 3, salt: Buffer.alloc(16, 1) }

  it('name their session and counter, and verify only with the right key and salt', () => {
    const text = writeRefreshToken(key, session)
    const token = readRefreshToken(text)!
    assert.equal(token.sessionId, session.id)
    assert.equal(token.counter, 3)
    assert.ok(isOurRefreshToken([key], token, session.salt))
    assert.equal(isOurRefreshToken([Buffer.alloc(32, 8)], token, session.salt), false)
    assert.ok(isOurRefreshToken([Buffer.alloc(32, 8), key], token, session.salt), 'the key before')
    assert.equal(isOurRefreshToken([key], token, Buffer.alloc(16, 2)), false)
    assert.equal(isOurRefreshToken([key], { ...token, counter: 4 }, session.salt), false)
  })

  it('never make the reader throw', () => {
    for (const text of naughtyStrings) assert.equal(readRefreshToken(text), undefined)
    check(property(string(), (text) => readRefreshToken(`mlr_${text}`) === undefined))
  })
})
