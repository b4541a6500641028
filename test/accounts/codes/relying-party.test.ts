import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relyingParty } from '../../../src/accounts/codes/relying-party.ts'
import { readConfig } from '../../../src/config.ts'

const partyOf = (env: Record<string, string>, host = 'localhost:8080') =>
  relyingParty(readConfig(env), { host })

test('it is the host of PUBLIC_URL, with our other pages within it', () => {
  const PUBLIC_URL = 'https://mlango.example/base'
  assert.deepEqual(partyOf({ PUBLIC_URL }, 'evil.test'), {
    id: 'mlango.example',
    origins: ['https://mlango.example'],
  })
  const OPERATOR_URL = 'https://ops.mlango.example'
  const FRONTEND_URL = 'https://notmlango.example'
  assert.deepEqual(partyOf({ PUBLIC_URL, OPERATOR_URL, FRONTEND_URL }), {
    id: 'mlango.example',
    origins: ['https://mlango.example', OPERATOR_URL],
  })
})

test('PASSKEY_DOMAIN joins pages that are beside each other', () => {
  const pages = {
    PUBLIC_URL: 'https://api.mlango.example',
    OPERATOR_URL: 'https://ops.mlango.example',
  }
  assert.deepEqual(partyOf(pages).origins, [pages.PUBLIC_URL])
  assert.deepEqual(partyOf({ ...pages, PASSKEY_DOMAIN: 'mlango.example' }), {
    id: 'mlango.example',
    origins: [pages.PUBLIC_URL, pages.OPERATOR_URL],
  })
  for (const domain of [
    'other.example',
    'lango.example',
    'ops.mlango.example',
    '10.0.0.1',
    'A b',
  ]) {
    assert.throws(() => readConfig({ ...pages, PASSKEY_DOMAIN: domain }), /PASSKEY_DOMAIN/, domain)
  }
})

test('without PUBLIC_URL it is localhost, as this machine says it, and nobody else', () => {
  assert.deepEqual(partyOf({}), { id: 'localhost', origins: ['http://localhost:8080'] })
  for (const host of [
    'evil.test:8080',
    '127.0.0.1:8080',
    '[::1]:8080',
    'localhost.evil.test',
    ' ',
  ]) {
    assert.throws(() => partyOf({}, host), /https address with a name/, host)
  }
})

test('an address without https or without a name has none; the next page that can does', () => {
  for (const PUBLIC_URL of ['http://mlango.example', 'https://10.1.2.3', 'https://[fd00::1]']) {
    assert.throws(() => partyOf({ PUBLIC_URL }), /https address with a name/, PUBLIC_URL)
    const FRONTEND_URL = 'https://app.example'
    assert.deepEqual(partyOf({ PUBLIC_URL, FRONTEND_URL }).origins, [FRONTEND_URL])
  }
})
