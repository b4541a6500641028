import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  base32,
  newTotpSecret,
  totpAt,
  totpStep,
  totpUri,
} from '../../../src/accounts/credentials/totp.ts'

describe('TOTP', () => {
  it('gives the values of RFC 6238, appendix B', () => {
    const secret = Buffer.from('12345678901234567890')
    const vectors: [number, string][] = [
      [59, '94287082'],
      [1111111109, '07081804'],
      [1111111111, '14050471'],
      [1234567890, '89005924'],
      [2000000000, '69279037'],
      [20000000000, '65353130'],
    ]
    for (const [seconds, value] of vectors) {
      assert.equal(totpAt(secret, Math.floor(seconds / 30), 8), value)
    }
  })

  it('allows one step either way, and names the step', () => {
    const secret = newTotpSecret()
    const now = new Date(1_800_000_000_000)
    const step = now.getTime() / 30_000
    for (const near of [step - 1, step, step + 1]) {
      assert.equal(totpStep(secret, totpAt(secret, near), now), near)
    }
    for (const far of [step - 2, step + 2]) {
      assert.equal(totpStep(secret, totpAt(secret, far), now), undefined)
    }
  })

  it('writes base32 as RFC 4648 does, and an address for apps', () => {
    assert.equal(base32(Buffer.from('foobar')), 'MZXW6YTBOI')
    assert.equal(base32(Buffer.from([0, 0, 1])), 'AAAAC')
    const uri = totpUri(Buffer.from('foobar'), 'a b@example.com')
    assert.equal(
      uri,
      'otpauth://totp/Mlango:a%20b%40example.com?secret=MZXW6YTBOI&issuer=Mlango&algorithm=SHA1&digits=6&period=30',
    )
  })
})
