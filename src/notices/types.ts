/** What each kind of notice says of its subject. Kept with the notification as `data`. */
export type NoticeData = {
  'payment.completed': { payment_id: string; amount_tzs: number; credits: number }
  'payment.failed': { payment_id: string; amount_tzs: number }
  'payment.expired': { payment_id: string; amount_tzs: number }
  'credits.low': { available_credits: number }
  'credits.granted': { credits: number; reason?: 'signup_bonus' | 'refund' | 'adjustment' }
  /** `linked` names a service that opens the account from now on. */
  'security.new_login': { address?: string; linked?: string }
  'security.password_changed': Record<string, never>
  'security.phone_changed': { phone_number: string }
  'security.session_reuse': { session_id?: string }
  'api_key.created': { key_id: string; name: string; last4: string }
  'video.completed': { video_id: string; model: string }
  'video.failed': { video_id: string; model: string }
}

export type NoticeType = keyof NoticeData

/** One notice to one account. `phone_number` in `data` is masked by whoever tells of it. */
export type Notice = {
  [T in NoticeType]: { accountId: string; type: T; data: NoticeData[T] }
}[NoticeType]

export type Category = 'payments' | 'usage' | 'security'

export function categoryOf(type: NoticeType): Category {
  if (type.startsWith('payment.') || type === 'credits.granted') return 'payments'
  if (type.startsWith('security.') || type === 'api_key.created') return 'security'
  return 'usage'
}

export type Locale = 'sw' | 'en'

/** Kiswahili unless the account asks for English, in whatever regional form. */
export function localeOf(text: string | null | undefined): Locale {
  return /^en\b/i.test(text ?? '') ? 'en' : 'sw'
}
