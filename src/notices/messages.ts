import type { Catalogue, CodePurpose, Words } from './catalogue.ts'
import { en } from './messages-en.ts'
import { sw } from './messages-sw.ts'
import { localeOf } from './types.ts'
import type { Locale, Notice } from './types.ts'

export type { CodePurpose } from './catalogue.ts'

export function noticeWords(notice: Notice, locale: Locale): Words {
  // The catalogue's type ties each type to its data; TypeScript cannot follow the pair through it.
  const write = CATALOGUES[locale].notices[notice.type] as (data: Notice['data']) => Words
  return write(notice.data)
}

/** The mail of a notice: what the app shows, under the house's name. */
export function noticeMail(words: Words, locale: Locale): { subject: string; text: string } {
  return {
    subject: `Mlango: ${words.title}`,
    text: `${words.body}\n\n${CATALOGUES[locale].signature}\n`,
  }
}

/** A one-time code, as a mail or as an SMS. Accounts enqueue it as `{...codeMessage(…), to, …}`. */
export function codeMessage(about: {
  locale: string | null
  purpose: CodePurpose
  code: string
  minutes: number
  channel: 'email' | 'sms'
}): { subject: string; text: string } {
  const language = CATALOGUES[localeOf(about.locale)]
  const { subject, lead, end } = language.code(about.purpose, about.minutes)
  if (about.channel === 'sms') {
    return { subject, text: language.codeSms(about.code, about.minutes) }
  }
  return { subject, text: `${lead}\n\n${about.code}\n\n${end}\n\n${language.signature}\n` }
}

const CATALOGUES: Record<Locale, Catalogue> = { sw, en }
