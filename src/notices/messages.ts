import type { CodePurpose, Language, Locale, NoticeText } from './language.ts'
import { localeOf } from './language.ts'
import { en } from './messages-en.ts'
import { sw } from './messages-sw.ts'
import type { Notice } from './notice.ts'

const LANGUAGES: Record<Locale, Language> = { sw, en }

export function noticeText(notice: Notice, locale: Locale): NoticeText {
  // The type of `notices` ties each type to its data; TypeScript cannot follow the pair through it.
  const write = LANGUAGES[locale].notices[notice.type] as (data: Notice['data']) => NoticeText
  return write(notice.data)
}

/** The email of a notice: what the app shows, with a greeting, and the link that undoes it. */
export function noticeMail(
  text: NoticeText,
  locale: Locale,
  undoLink?: string,
): { subject: string; text: string } {
  const language = LANGUAGES[locale]
  const undo = undoLink === undefined ? [] : [language.undoMail(undoLink)]
  return { subject: `Mlango: ${text.title}`, text: letter(language, [text.body, ...undo]) }
}

/** With a link it says little else, so that both fit into the one SMS that we pay for. */
export function noticeSms(text: NoticeText, locale: Locale, undoLink?: string): string {
  return undoLink === undefined ? text.sms : LANGUAGES[locale].undoSms(text.title, undoLink)
}

/** A one-time code, as an email or as an SMS. */
export function codeMessage(message: {
  locale: string | null
  purpose: CodePurpose
  code: string
  minutes: number
  channel: 'email' | 'sms'
  /** The host of our pages, whose field the code of an SMS may fill. */
  host?: string | undefined
}): { subject: string; text: string } {
  const { purpose, code, minutes, host } = message
  const language = LANGUAGES[localeOf(message.locale)]
  const { subject, lead, end } = language.codeMail(purpose, minutes)
  if (message.channel === 'sms') {
    return { subject, text: forBrowser(language.codeSms(code, minutes), { code, host }) }
  }
  return { subject, text: letter(language, [lead, code, end]) }
}

const SMS_LETTERS = 160

/** A last line that browsers read (WebOTP), where it fits into the one SMS that we pay for. */
function forBrowser(text: string, { code, host }: { code: string; host: string | undefined }) {
  const whole = `${text}\n\n@${host} #${code}`
  return host === undefined || whole.length > SMS_LETTERS ? text : whole
}

/** The SMS on the morning after a day with more notices than one account may cost. */
export function digestMessage(locale: Locale, count: number): { subject: string; text: string } {
  return { subject: 'Mlango', text: LANGUAGES[locale].digestSms(count) }
}

function letter({ greeting, signature }: Language, paragraphs: string[]): string {
  return `${[greeting, ...paragraphs, signature].join('\n\n')}\n`
}
