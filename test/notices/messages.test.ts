import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Locale } from '../../src/notices/language.ts'
import { localeOf } from '../../src/notices/language.ts'
import {
  codeMessage,
  digestMessage,
  noticeMail,
  noticeSms,
  noticeText,
} from '../../src/notices/messages.ts'
import type { Notice, NoticeCategory, NoticeData, NoticeType } from '../../src/notices/notice.ts'
import { categoryOf } from '../../src/notices/notice.ts'

const accountId = '01890000-0000-7000-8000-000000000001'
const long = 'x'.repeat(500)

/** The longest that each type can say. A type that is missing here does not compile. */
const LONGEST: { [T in NoticeType]: NoticeData[T] } = {
  'payment.completed': { payment_id: 'p', amount_tzs: 3_000_000, credits: 3_000_000 },
  'payment.failed': { payment_id: 'p', amount_tzs: 3_000_000 },
  'payment.expired': { payment_id: 'p', amount_tzs: 3_000_000 },
  'credits.low': { available_credits: 19.123456 },
  'allowance.used': { model: long, unpaid_credits: 12_345.67, allowance_credits: 12_345.67 },
  'credits.granted': { credits: 1_234_567.89, reason: 'signup_bonus' },
  'security.new_login': { address: '2001:db8:1111:2222:3333:4444:5555:6666' },
  'security.password_changed': {},
  'security.password_dropped': {},
  'security.phone_changed': { phone_number: '+255***678' },
  'security.email_changed': { email: 'a***@example.com' },
  'security.mfa_changed': { method: 'none' },
  'security.passkey_added': { name: `a\r\nb${long}` },
  'security.passkey_removed': { name: `a\r\nb${long}` },
  'security.recovery_codes_made': {},
  'security.recovery_code_used': { left: 9 },
  'security.identity_unlinked': { provider: 'Google' },
  'security.change_undone': {},
  'security.session_reuse': {},
  'security.account_deleted': {},
  'security.account_restored': {},
  'api_key.created': { key_id: 'k', name: `a\r\nb${long}`, last4: 'abcd' },
  'video.completed': { video_id: 'v', model: long },
  'video.failed': { video_id: 'v', model: long },
}
const TYPES = Object.keys(LONGEST) as NoticeType[]

const noticeOf = <T extends NoticeType>(type: T, data: NoticeData[T]) =>
  ({ accountId, type, data }) as unknown as Notice

const every: Notice[] = [
  ...TYPES.map((type) => noticeOf(type, LONGEST[type])),
  noticeOf('credits.granted', { credits: 100, reason: 'refund' }),
  noticeOf('credits.granted', { credits: 100, reason: 'adjustment' }),
  noticeOf('credits.granted', { credits: 100 }),
  noticeOf('security.new_login', {}),
  noticeOf('security.new_login', { linked: 'Google' }),
  noticeOf('security.new_login', { verified: '+255***678' }),
  noticeOf('security.mfa_changed', { method: 'totp' }),
  noticeOf('security.mfa_changed', { method: 'email' }),
  noticeOf('security.mfa_changed', { method: 'phone' }),
  noticeOf('security.mfa_changed', { method: 'passkey' }),
  noticeOf('security.recovery_code_used', { left: 1 }),
]

const textOf = <T extends NoticeType>(locale: Locale, type: T, data: NoticeData[T]) =>
  noticeText(noticeOf(type, data), locale)

describe('the texts of notices', () => {
  for (const notice of every) {
    it(`${notice.type} ${JSON.stringify(notice.data).slice(0, 40)} in both languages`, () => {
      const [sw, en] = [noticeText(notice, 'sw'), noticeText(notice, 'en')]
      for (const key of ['title', 'body', 'sms'] as const) assert.notEqual(sw[key], en[key])
      for (const text of [sw, en]) {
        // One GSM-7 segment: printable ASCII without the characters that count twice.
        assert.match(text.sms, /^Mlango: [\x20-\x5a\x61-\x7a_]{1,152}$/)
        assert.doesNotMatch(text.body + text.title, /[\r\n]|undefined|NaN|null|\$\{|\[object/)
        assert.doesNotMatch(text.body + text.sms, / {2}| [,.]|\.\./)
        assert.match(text.body, /[.!]$/)
        assert.ok(text.title.length <= 50 && !text.title.endsWith('.'), text.title)
        assert.ok(text.body.length < 400)
      }
    })
  }

  it('says what it is given', () => {
    const checkText = (type: NoticeType, ...parts: string[]) => {
      for (const locale of ['sw', 'en'] as const) {
        const { body } = noticeText(
          every.find((notice) => notice.type === type)!,
          locale,
        )
        for (const part of parts) assert.ok(body.includes(part), `${body} lacks ${part}`)
      }
    }
    checkText('payment.completed', '3,000,000')
    checkText('payment.failed', '3,000,000')
    checkText('payment.expired', '3,000,000')
    checkText('credits.low', '19.12')
    checkText('credits.granted', '1,234,567.89')
    checkText('security.new_login', LONGEST['security.new_login'].address!)
    checkText('security.phone_changed', '+255***678')
    checkText('security.email_changed', 'a***@example.com')
    checkText('api_key.created', '"a bxxx', 'abcd')
    checkText('video.completed', 'x'.repeat(80))
    checkText('video.failed', 'x'.repeat(80))
  })

  it('writes money and numbers as each language does', () => {
    const data = { payment_id: 'p', amount_tzs: 5000, credits: 4750.5 }
    assert.equal(
      textOf('en', 'payment.completed', data).body,
      'We have received your payment of TZS 5,000 and added 4,750.5 credits to your account. Thank you.',
    )
    assert.equal(
      textOf('sw', 'payment.completed', data).body,
      'Tumepokea malipo yako ya TSh 5,000 na kuongeza krediti 4,750.5 kwenye akaunti yako. Asante.',
    )
    assert.match(
      textOf('en', 'credits.low', { available_credits: 1 }).body,
      /^You have 1 credit left/,
    )
  })

  it('says why credits came, and which service was linked', () => {
    const granted = { credits: 100, reason: 'signup_bonus' } as const
    assert.match(textOf('en', 'credits.granted', granted).body, /^Welcome to Mlango!/)
    assert.match(textOf('sw', 'credits.granted', granted).body, /^Karibu Mlango!/)
    const refund = { credits: 100, reason: 'refund' } as const
    assert.match(textOf('en', 'credits.granted', refund).body, /refunded 100 credits/)
    assert.match(textOf('sw', 'credits.granted', refund).body, /^Tumekurejeshea krediti 100/)
    for (const locale of ['en', 'sw'] as const) {
      assert.match(textOf(locale, 'security.new_login', { linked: 'Google' }).body, /^Google /)
      const verified = { verified: '+255***678', address: '10.1.2.3' }
      assert.match(
        textOf(locale, 'security.new_login', verified).body,
        /^\+255\*{3}678 .* 10\.1\.2\.3/,
      )
    }
  })

  it('becomes an email with a greeting and a signature', () => {
    const text = textOf('en', 'security.password_changed', {})
    assert.deepEqual(noticeMail(text, 'en'), {
      subject: 'Mlango: Password changed',
      text: 'Hello,\n\nYour password was changed. If this was not you, reset it immediately.\n\nThe Mlango team\n',
    })
    assert.match(noticeMail(text, 'sw').text, /^Habari,\n\n[^]*\n\nTimu ya Mlango\n$/)
  })

  it('word of a change has the link that undoes it, in one SMS too', () => {
    const link = `https://console.mlango.example.co.tz/undo#${'x'.repeat(22)}`
    for (const locale of ['sw', 'en'] as const) {
      for (const type of TYPES.filter((one) => one.startsWith('security.'))) {
        const text = noticeText(noticeOf(type, LONGEST[type]), locale)
        const sms = noticeSms(text, locale, link)
        assert.ok(sms.length <= 160 && sms.endsWith(link), `${type}: ${sms}`)
        assert.ok(noticeMail(text, locale, link).text.includes(`\n\n${link}\n`))
      }
    }
  })

  it('every type has a category', () => {
    const expected: Record<NoticeType, NoticeCategory> = {
      'payment.completed': 'payments',
      'payment.failed': 'payments',
      'payment.expired': 'payments',
      'credits.low': 'usage',
      'allowance.used': 'usage',
      'credits.granted': 'payments',
      'security.new_login': 'security',
      'security.password_changed': 'security',
      'security.password_dropped': 'security',
      'security.phone_changed': 'security',
      'security.email_changed': 'security',
      'security.mfa_changed': 'security',
      'security.passkey_added': 'security',
      'security.passkey_removed': 'security',
      'security.recovery_codes_made': 'security',
      'security.recovery_code_used': 'security',
      'security.identity_unlinked': 'security',
      'security.change_undone': 'security',
      'security.session_reuse': 'security',
      'security.account_deleted': 'security',
      'security.account_restored': 'security',
      'api_key.created': 'security',
      'video.completed': 'usage',
      'video.failed': 'usage',
    }
    for (const type of TYPES) assert.equal(categoryOf(type), expected[type], type)
  })
})

it('the digest says in one segment how many notices were left out', () => {
  for (const locale of ['sw', 'en'] as const) {
    for (const count of [1, 2, 1_234_567]) {
      const { text } = digestMessage(locale, count)
      assert.match(text, /^Mlango: [\x20-\x5a\x61-\x7a_]{1,152}$/)
      assert.ok(text.includes(new Intl.NumberFormat('en').format(count)), text)
    }
  }
})

describe('the texts of codes', () => {
  const PURPOSES = [
    'verify_email',
    'verify_phone',
    'login_mfa',
    'reset_password',
    'change_mfa',
    'change_email',
  ] as const
  for (const locale of ['sw', 'en', null]) {
    for (const purpose of PURPOSES) {
      it(`${purpose} in ${locale}: alone on a line by email, first in one segment by SMS`, () => {
        const message = { locale, purpose, code: '012345', minutes: 10 }
        const mail = codeMessage({ ...message, channel: 'email' })
        assert.ok(mail.text.split('\n').includes('012345'))
        assert.equal(mail.text.match(/\d+/g)?.join(), '012345,10')
        assert.ok(!mail.subject.includes('012345'))
        assert.match(mail.subject, /Mlango/)
        const sms = codeMessage({ ...message, channel: 'sms' })
        assert.match(sms.text, /^012345 [\x20-\x5a\x61-\x7a]{1,153}$/)
        assert.match(sms.text, /\b10\b/)
      })
    }
  }

  it('an SMS ends with the line that browsers read, where it fits into one segment', () => {
    for (const locale of ['sw', 'en']) {
      const message = { locale, purpose: 'login_mfa', code: '012345', minutes: 10 } as const
      const plain = codeMessage({ ...message, channel: 'sms' }).text
      const host = 'console.mlango.co.tz'
      const { text } = codeMessage({ ...message, channel: 'sms', host })
      assert.equal(text, `${plain}\n\n@${host} #012345`)
      assert.ok(text.length <= 160)
      const long = codeMessage({ ...message, channel: 'sms', host: `${'x'.repeat(60)}.example` })
      assert.equal(long.text, plain)
      assert.ok(!codeMessage({ ...message, channel: 'email', host }).text.includes('@'))
    }
  })

  it('are in Kiswahili unless the account asks for English', () => {
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
