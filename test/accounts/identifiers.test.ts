import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assert as check, property, string } from 'fast-check'
import { masked, readEmail, readIdentifier, readPhone } from '../../src/accounts/identifiers.ts'
import { naughtyStrings } from '../support/samples/naughty.ts'

describe('identifiers', () => {
  it('reads emails in lowercase and local numbers as Tanzanian', () => {
    assert.equal(readEmail(' Asha@Example.COM '), 'asha@example.com')
    assert.deepEqual(readIdentifier('0712345678'), { channel: 'phone', value: '+255712345678' })
    assert.deepEqual(readIdentifier('255712345678'), { channel: 'phone', value: '+255712345678' })
    assert.equal(readPhone('+254712345678'), '+254712345678')
    assert.equal(readPhone('0712345678'), undefined)
  })

  it('refuses odd shapes of email', () => {
    const odd =
      'a a@ @a.com a@b a@b. a@.com a..b@example.com .a@example.com a.@example.com a@-b.com a@b..com "a"@example.com a@[1.2.3.4] a@exa_mple.com a@example.com@example.com <a@example.com> a@example.c'
    for (const text of odd.split(' ')) assert.equal(readEmail(text), undefined, text)
    for (const text of ['a\n@example.com', 'a@exam\0ple.com', `${'a'.repeat(250)}@example.com`]) {
      assert.equal(readEmail(text), undefined)
    }
  })

  it('never throws', () => {
    for (const text of naughtyStrings) readIdentifier(text)
    check(property(string(), (text) => void readIdentifier(text)))
  })

  it('masks what it shows', () => {
    assert.equal(masked({ channel: 'email', value: 'asha@example.com' }), 'a***@example.com')
    assert.equal(masked({ channel: 'phone', value: '+255712345678' }), '+255***678')
  })
})
