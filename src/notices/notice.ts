/** What each type of notice says. Stored with the notification as `data`. */
export type NoticeData = {
  'payment.completed': { payment_id: string; amount_tzs: number; credits: number }
  'payment.failed': { payment_id: string; amount_tzs: number }
  'payment.expired': { payment_id: string; amount_tzs: number }
  'credits.low': { available_credits: number }
  /** A call of `model` was left before its end, and runs on: it is charged. */
  'allowance.used': { model: string; unpaid_credits: number; allowance_credits: number }
  'credits.granted': { credits: number; reason?: 'signup_bonus' | 'refund' | 'adjustment' }
  /**
   * `linked` names a service that can be used to sign in from now on; `verified`, masked, the
   * address or number whose verification opened the session.
   */
  'security.new_login': { address?: string; linked?: string; verified?: string }
  'security.password_changed': Record<string, never>
  /** Others had registered with the same address: the password of the registration does not count. */
  'security.password_dropped': Record<string, never>
  'security.phone_changed': { phone_number: string }
  'security.email_changed': { email: string }
  /** The second factor is now this one. */
  'security.mfa_changed': { method: 'none' | 'totp' | 'email' | 'phone' | 'passkey' }
  'security.passkey_added': { name: string }
  'security.passkey_removed': { name: string }
  'security.recovery_codes_made': Record<string, never>
  'security.recovery_code_used': { left: number }
  /** A service that can no longer be used to sign in. */
  'security.identity_unlinked': { provider: string }
  /** By the link that the owner was sent. */
  'security.change_undone': Record<string, never>
  'security.session_reuse': { session_id?: string }
  'security.account_deleted': Record<string, never>
  'security.account_restored': Record<string, never>
  'api_key.created': { key_id: string; name: string; last4: string }
  'video.completed': { video_id: string; model: string }
  'video.failed': { video_id: string; model: string }
}

export type NoticeType = keyof NoticeData

/** One notice to one account. Addresses and numbers in `data` must be masked by the caller. */
export type Notice = {
  [T in NoticeType]: { accountId: string; type: T; data: NoticeData[T] }
}[NoticeType]

/** By category, people choose which notices they also get by email and by SMS. */
export type NoticeCategory = 'payments' | 'usage' | 'security'

export function categoryOf(type: NoticeType): NoticeCategory {
  if (type.startsWith('payment.') || type === 'credits.granted') return 'payments'
  if (type.startsWith('security.') || type === 'api_key.created') return 'security'
  return 'usage'
}
