import assert from 'node:assert/strict'
import { it } from 'node:test'
import { ConfigError, readConfig } from '../../../src/config.ts'

it('tokens and secrets go over plain http within this machine only', () => {
  for (const name of ['GOOGLE_ISSUER', 'GITHUB_URL', 'GITHUB_API_URL', 'PARTNER_ISSUER']) {
    const settings = (value: string) => () => readConfig({ PARTNER_AUDIENCE: 'us', [name]: value })
    assert.doesNotThrow(settings('http://127.0.0.1:4000'))
    assert.doesNotThrow(settings('https://id.example'))
    assert.throws(settings('http://id.example'), (error) => {
      assert.ok(error instanceof ConfigError)
      return error.message.includes(name)
    })
  }
})

it('pages that receive tokens are https addresses without a fragment', () => {
  const listed = (value: string) => () => readConfig({ OAUTH_REDIRECT_ALLOWLIST: value })
  assert.doesNotThrow(listed('https://a.example/x, http://localhost:5173/auth/callback'))
  for (const bad of [
    'http://a.example/x',
    'https://a.example/#x',
    '/auth',
    'javascript:alert(1)',
  ]) {
    assert.throws(listed(bad), /OAUTH_REDIRECT_ALLOWLIST/)
  }
})

it('the slug of the partner is nobody else’s', () => {
  assert.throws(() => readConfig({ PARTNER_IDENTITY_SLUG: 'login' }), /PARTNER_IDENTITY_SLUG/)
  assert.equal(
    readConfig({ PARTNER_IDENTITY_SLUG: 'kitambulisho' }).PARTNER_IDENTITY_SLUG,
    'kitambulisho',
  )
})
