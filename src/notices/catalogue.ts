import type { NoticeData, NoticeType } from './types.ts'

export type CodePurpose = 'verify_email' | 'verify_phone' | 'login_mfa' | 'reset_password'

/** `sms` is plain ASCII of at most 160 characters, so that it costs one segment. */
export type Words = { title: string; body: string; sms: string }

/** One language: every notice and every code. */
export type Catalogue = {
  notices: { [T in NoticeType]: (data: NoticeData[T]) => Words }
  code: (purpose: CodePurpose, minutes: number) => { subject: string; lead: string; end: string }
  codeSms: (code: string, minutes: number) => string
  signature: string
}
