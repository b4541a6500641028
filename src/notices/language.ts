import type { NoticeData, NoticeType } from './notice.ts'

export type Locale = 'sw' | 'en'

/** Kiswahili unless the account asks for English, in whatever regional form. */
export function localeOf(text: string | null | undefined): Locale {
  return /^en\b/i.test(text ?? '') ? 'en' : 'sw'
}

/** The language that an `Accept-Language` header likes best of the two that we write. */
export function acceptedLocale(header: string | undefined): Locale | undefined {
  let best: Locale | undefined
  let most = 0
  for (const range of (header ?? '').split(',')) {
    const [tag = '', ...parameters] = range
      .toLowerCase()
      .split(';')
      .map((part) => part.trim())
    const locale = /^(sw|en)(-|$)/.exec(tag)?.[1] as Locale | undefined
    const quality = parameters.find((one) => one.startsWith('q='))?.slice(2)
    const weight = quality === undefined ? 1 : Number(quality)
    if (locale !== undefined && weight > most) [best, most] = [locale, weight]
  }
  return best
}

/** Everything customers are sent, in one language. */
export type Language = {
  greeting: string
  signature: string
  notices: { [T in NoticeType]: (data: NoticeData[T]) => NoticeText }
  codeMail: (purpose: CodePurpose, minutes: number) => CodeMailText
  codeSms: (code: string, minutes: number) => string
  digestSms: (count: number) => string
  /** Below word of a change of how one signs in, and in its SMS, after the title of that. */
  undoMail: (link: string) => string
  undoSms: (title: string, link: string) => string
}

/** `sms` is plain ASCII of at most 160 characters, so that it costs one segment. */
export type NoticeText = { title: string; body: string; sms: string }

export type CodePurpose =
  | 'verify_email'
  | 'verify_phone'
  | 'login_mfa'
  | 'reset_password'
  | 'change_mfa'
  | 'change_email'

/** The code stands on a line of its own between `lead` and `end`. */
type CodeMailText = { subject: string; lead: string; end: string }

/** Writes numbers as people do: 12000.123 is `12,000.12` in both languages of Tanzania. */
export function numberFormat(locale: 'sw-TZ' | 'en-TZ'): (value: number) => string {
  const format = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 })
  return (value) => format.format(value)
}

/** Text from outside within a sentence of ours: one line, of bounded length. */
export function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').slice(0, 80)
}
