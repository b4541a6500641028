import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { retryDelayMs } from '../../src/notices/backoff.ts'
import { addressesFor } from '../../src/notices/channels.ts'
import { codeMessage, noticeMail, noticeWords } from '../../src/notices/messages.ts'
import { categoryOf, localeOf } from '../../src/notices/types.ts'
import type { Notice } from '../../src/notices/types.ts'

const accountId = '01890000-0000-7000-8000-000000000001'
const long = 'x'.repeat(500)
const every: Notice[] = [
  {
    accountId,
    type: 'payment.completed',
    data: { payment_id: 'p', amount_tzs: 3_000_000, credits: 3_000_000 },
  },
  { accountId, type: 'payment.failed', data: { payment_id: 'p', amount_tzs: 3_000_000 } },
  { accountId, type: 'payment.expired', data: { payment_id: 'p', amount_tzs: 3_000_000 } },
  { accountId, type: 'credits.low', data: { available_credits: 19.123456 } },
  { accountId, type: 'credits.granted', data: { credits: 100, reason: 'signup_bonus' } },
  { accountId, type: 'security.new_login', data: { address: '2001:db8::1' } },
  { accountId, type: 'security.password_changed', data: {} },
  { accountId, type: 'security.phone_changed', data: { phone_number: '+255 7** *** 678' } },
  { accountId, type: 'security.session_reuse', data: {} },
  {
    accountId,
    type: 'api_key.created',
    data: { key_id: 'k', name: `a\r\nb${long}`, last4: 'abcd' },
  },
  { accountId, type: 'video.completed', data: { video_id: 'v', model: long } },
  { accountId, type: 'video.failed', data: { video_id: 'v', model: long } },
]

describe('the catalogue of messages', () => {
  for (const notice of every) {
    it(`speaks both languages of ${notice.type}`, () => {
      const [sw, en] = [noticeWords(notice, 'sw'), noticeWords(notice, 'en')]
      for (const key of ['title', 'body', 'sms'] as const) assert.notEqual(sw[key], en[key])
      for (const words of [sw, en]) {
        // One GSM segment: printable ASCII without the characters that count twice.
        assert.match(words.sms, /^[\x20-\x5a\x61-\x7a_]{1,160}$/)
        assert.doesNotMatch(words.body + words.title, /[\r\n]|undefined|NaN/)
        assert.ok(words.body.length < 400)
      }
      assert.match(noticeMail(en, 'en').subject, /^Mlango: /)
    })
  }

  it('writes amounts for people', () => {
    const words = noticeWords(every[0]!, 'en')
    assert.match(words.body, /TZS 3,000,000\. 3,000,000 credits/)
  })

  it('sends a code alone on its line by mail, and first in an SMS of one segment', () => {
    for (const locale of ['sw', 'en', null]) {
      for (const purpose of [
        'verify_email',
        'verify_phone',
        'login_mfa',
        'reset_password',
      ] as const) {
        const about = { locale, purpose, code: '012345', minutes: 10 }
        const mail = codeMessage({ ...about, channel: 'email' })
        assert.ok(mail.text.split('\n').includes('012345'))
        assert.ok(!mail.subject.includes('012345'))
        const sms = codeMessage({ ...about, channel: 'sms' })
        assert.match(sms.text, /^012345 [\x20-\x5a\x61-\x7a]{1,153}$/)
      }
    }
  })

  it('speaks Kiswahili unless asked otherwise', () => {
    assert.deepEqual(['sw', 'en', 'en-GB', 'fr', '', null, 'enx'].map(localeOf), [
      'sw',
      'en',
      'en',
      'sw',
      'sw',
      'sw',
      'sw',
    ])
  })
})

describe('where a notice goes', () => {
  const both = { email: 'a@example.com', phone: '+255712345678' }
  const channels = (...given: Parameters<typeof addressesFor>) =>
    addressesFor(...given).map(({ channel }) => channel)

  it('follows the defaults', () => {
    assert.deepEqual(channels('payments', { ...both, preferences: undefined }), ['email', 'sms'])
    assert.deepEqual(channels('usage', { ...both, preferences: undefined }), ['email'])
    assert.deepEqual(channels('usage', { ...both, email: null, preferences: undefined }), [])
  })

  it('keeps a security notice from reaching nobody', () => {
    const off = { payments: false, usage: false, security: false }
    const preferences = { email: off, sms: { ...off, security: true } }
    assert.deepEqual(channels('security', { ...both, preferences }), ['sms'])
    assert.deepEqual(channels('security', { ...both, phone: null, preferences }), ['email'])
    assert.deepEqual(channels('payments', { ...both, phone: null, preferences }), [])
  })

  it('sorts every type into a category', () => {
    assert.deepEqual(
      every.map(({ type }) => categoryOf(type)),
      [
        'payments',
        'payments',
        'payments',
        'usage',
        'payments',
        'security',
        'security',
        'security',
        'security',
        'security',
        'usage',
        'usage',
      ],
    )
  })
})

describe('the back-off', () => {
  it('doubles to an hour and stays within a quarter of it', () => {
    assert.equal(retryDelayMs(1, 0.5), 5_000)
    assert.equal(retryDelayMs(2, 0.5), 10_000)
    assert.equal(retryDelayMs(60, 0.5), 3_600_000)
    assert.equal(retryDelayMs(1, 0), 3_750)
    assert.equal(retryDelayMs(1, 1), 6_250)
  })
})
