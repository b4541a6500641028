import { as, bool, bytes, columns, oneOf, orNull, text, time, type RowOf } from '../db/columns.ts'

/** `passkey`: at least one, and nothing else. Passkeys may also stand beside another method. */
export type MfaMethod = 'none' | 'totp' | 'email' | 'phone' | 'passkey'

export const ACCOUNT = columns({
  id: text,
  fullName: text,
  avatarUrl: orNull(text),
  email: orNull(text),
  emailVerified: as('email_verified_at is not null', bool),
  phoneNumber: orNull(text),
  phoneVerified: as('phone_verified_at is not null', bool),
  /** The owner confirmed the change to `phoneNumber`: with its code it signs in at once. */
  phoneConfirmed: bool,
  /** When a verified number that nobody confirmed becomes the one that signs in. */
  phoneSignsInAt: orNull(time),
  /** The last number that was verified and confirmed: it signs in, and receives login codes. */
  loginPhone: orNull(text),
  passwordHash: orNull(text),
  status: oneOf<'pending_verification' | 'active' | 'suspended'>(),
  role: oneOf<'user' | 'admin'>(),
  locale: oneOf<'sw' | 'en'>(),
  mfaMethod: oneOf<MfaMethod>(),
  totpSealed: orNull(bytes),
  totpPendingSealed: orNull(bytes),
  /** Somebody else had registered with its address, and its owner has not set a password since. */
  contested: bool,
  createdAt: time,
})
export type Account = RowOf<typeof ACCOUNT>

/** The profile names this address or number, proven or not. */
export function claims(account: Account, who: { channel: 'email' | 'phone'; value: string }) {
  return (who.channel === 'email' ? account.email : account.phoneNumber) === who.value
}

/** The profile as the API shows it. What is unset has no key: the operator prints every key. */
export function profileOf(account: Account): Profile {
  return {
    id: account.id,
    full_name: account.fullName,
    ...(account.avatarUrl === null ? {} : { avatar_url: account.avatarUrl }),
    ...(account.email === null ? {} : { email: account.email }),
    ...(account.phoneNumber === null ? {} : { phone_number: account.phoneNumber }),
    email_verified: account.emailVerified,
    phone_verified: account.phoneVerified,
    ...(account.phoneSignsInAt === null
      ? {}
      : { phone_signs_in_at: account.phoneSignsInAt.toISOString() }),
    status: account.status,
    role: account.role,
    locale: account.locale,
    ...(account.mfaMethod === 'none' ? {} : { mfa_method: account.mfaMethod }),
    created_at: account.createdAt.toISOString(),
  }
}

export type Profile = {
  id: string
  full_name: string
  avatar_url?: string
  email?: string
  phone_number?: string
  email_verified: boolean
  phone_verified: boolean
  phone_signs_in_at?: string
  status: Account['status']
  role: 'user' | 'admin'
  locale: 'sw' | 'en'
  mfa_method?: Exclude<MfaMethod, 'none'>
  created_at: string
}
