import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addressesFor, preferencesPatch } from '../../src/notices/preferences.ts'

describe('where a notice goes', () => {
  const phone = '+255712345678'
  const both = { email: 'a@example.com', phone, loginPhone: phone }
  const channels = (...query: Parameters<typeof addressesFor>) =>
    addressesFor(...query).map(({ channel }) => channel)

  it('by default: payments to both, usage by email only', () => {
    assert.deepEqual(channels('payment.completed', { ...both, preferences: undefined }), [
      'email',
      'sms',
    ])
    assert.deepEqual(channels('video.completed', { ...both, preferences: undefined }), ['email'])
    assert.deepEqual(
      channels('video.completed', { ...both, email: null, preferences: undefined }),
      [],
    )
  })

  it('keeps a security notice from reaching nobody', () => {
    const off = { payments: false, usage: false, security: false }
    const preferences = { email: off, sms: { ...off, security: true } }
    assert.deepEqual(channels('security.new_login', { ...both, preferences }), ['sms'])
    assert.deepEqual(channels('security.new_login', { ...both, loginPhone: null, preferences }), [
      'email',
    ])
    assert.deepEqual(channels('payment.completed', { ...both, phone: null, preferences }), [])
  })

  it('tells of security the number that signs in, not one that waits', () => {
    const waits = { email: null, phone: '+255712345679', loginPhone: phone, preferences: undefined }
    const to = (type: 'security.new_login' | 'payment.completed') =>
      addressesFor(type, waits)[0]?.to
    assert.deepEqual([to('security.new_login'), to('payment.completed')], [phone, waits.phone])
  })

  it('that the account was deleted is told at every verified address', () => {
    const off = { payments: false, usage: false, security: false }
    const preferences = { email: off, sms: { ...off, security: true } }
    const all = channels('security.account_deleted', { ...both, preferences })
    assert.deepEqual(all, ['email', 'sms'])
  })
})

describe('a change of preferences', () => {
  it('may have no other field', () => {
    for (const bad of [
      { push: {} },
      { email: { marketing: true } },
      { email: { payments: 'yes' } },
      { email: null },
      [],
      null,
    ]) {
      assert.equal(preferencesPatch.safeParse(bad).success, false, JSON.stringify(bad))
    }
    assert.equal(preferencesPatch.safeParse({}).success, true)
  })
})
