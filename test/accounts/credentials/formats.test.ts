import assert from 'node:assert/strict'
import { mkdtemp, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { assert as check, property, string } from 'fast-check'
import { masked, readEmail, readIdentifier, readPhone } from '../../../src/accounts/identifiers.ts'
import { looksLikeKey, newKey } from '../../../src/accounts/credentials/key-format.ts'
import {
  isOurRefreshToken,
  readRefreshToken,
  writeRefreshToken,
} from '../../../src/accounts/credentials/tokens.ts'
import { seal, unseal } from '../../../src/lib/secrets.ts'
import { loadMasterKey } from '../../../src/master-key.ts'
import { uuidv7 } from '../../../src/lib/ids.ts'
import { naughtyStrings } from '../../support/naughty.ts'

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

describe('refresh tokens', () => {
  const key = Buffer.alloc(32, 7)
  const session = { id: uuidv7(), counter: 3, salt: Buffer.alloc(16, 1) }

  it('say their session and counter, and only with the right key and salt', () => {
    const text = writeRefreshToken(key, session)
    const token = readRefreshToken(text)!
    assert.equal(token.sessionId, session.id)
    assert.equal(token.counter, 3)
    assert.ok(isOurRefreshToken(key, token, session.salt))
    assert.equal(isOurRefreshToken(Buffer.alloc(32, 8), token, session.salt), false)
    assert.equal(isOurRefreshToken(key, token, Buffer.alloc(16, 2)), false)
    assert.equal(isOurRefreshToken(key, { ...token, counter: 4 }, session.salt), false)
  })

  it('never throw, whatever comes', () => {
    for (const text of naughtyStrings) assert.equal(readRefreshToken(text), undefined)
    check(property(string(), (text) => readRefreshToken(`mlr_${text}`) === undefined))
  })
})

describe('sealed boxes', () => {
  it('open with the same key for the same row only', () => {
    const key = Buffer.alloc(32, 1)
    const box = seal(key, Buffer.from('siri'), 'row 1')
    assert.equal(unseal(key, box, 'row 1').toString(), 'siri')
    assert.throws(() => unseal(key, box, 'row 2'))
    assert.throws(() => unseal(Buffer.alloc(32, 2), box, 'row 1'))
    box[30]! ^= 1
    assert.throws(() => unseal(key, box, 'row 1'))
  })
})

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

  it('masks', () => {
    assert.equal(masked({ channel: 'email', value: 'asha@example.com' }), 'a***@example.com')
    assert.equal(masked({ channel: 'phone', value: '+255712345678' }), '+255***678')
  })
})

describe('the master key', () => {
  it('is made once, kept with mode 600, and the setting wins', async () => {
    const DATA_DIR = join(await mkdtemp(join(tmpdir(), 'mlango-key-')), 'data')
    const load = (MASTER_KEY?: string) => loadMasterKey({ DATA_DIR, MASTER_KEY })
    const [one, two] = await Promise.all([load(), load()])
    assert.equal(one, two)
    assert.ok(one.length >= 32)
    const file = join(DATA_DIR, 'master.key')
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.equal((await readFile(file, 'utf8')).trim(), one)
    assert.equal(await load('x'.repeat(40)), 'x'.repeat(40))
  })
})
