import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { looksLikeKey, newKey } from '../../../src/accounts/credentials/credential-caches.ts'

describe('API keys', () => {
  it('carry a checksum that catches every single wrong character', () => {
    const key = newKey()
    assert.ok(looksLikeKey(key))
    for (let i = 0; i < key.length; i++) {
      const other = key[i] === 'x' ? 'y' : 'x'
      assert.equal(looksLikeKey(key.slice(0, i) + other + key.slice(i + 1)), false)
    }
    for (const odd of [key + 'a', key.slice(0, -1), ` ${key}`, key.toLowerCase(), `${key}\n`]) {
      assert.equal(looksLikeKey(odd), false)
    }
  })
})
