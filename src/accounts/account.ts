import type { Row } from '../db/db.ts'

type AccountStatus = 'pending_verification' | 'active' | 'suspended'
export type MfaMethod = 'none' | 'totp' | 'email' | 'phone'

export type Account = {
  id: string
  fullName: string
  avatarUrl: string | null
  email: string | null
  emailVerified: boolean
  phoneNumber: string | null
  phoneVerified: boolean
  /** The last number that was verified: it signs in, and receives login codes. */
  loginPhone: string | null
  passwordHash: string | null
  status: AccountStatus
  role: 'user' | 'admin'
  locale: 'sw' | 'en'
  mfaMethod: MfaMethod
  totpSealed: Uint8Array | null
  totpPendingSealed: Uint8Array | null
  createdAt: Date
}

export function accountFrom(row: Row): Account {
  return {
    id: row.id as string,
    fullName: row.full_name as string,
    avatarUrl: row.avatar_url as string | null,
    email: row.email as string | null,
    emailVerified: row.email_verified_at !== null,
    phoneNumber: row.phone_number as string | null,
    phoneVerified: row.phone_verified_at !== null,
    loginPhone: row.login_phone as string | null,
    passwordHash: row.password_hash as string | null,
    status: row.status as AccountStatus,
    role: row.role as Account['role'],
    locale: row.locale as Account['locale'],
    mfaMethod: row.mfa_method as MfaMethod,
    totpSealed: row.totp_sealed as Uint8Array | null,
    totpPendingSealed: row.totp_pending_sealed as Uint8Array | null,
    createdAt: row.created_at as Date,
  }
}

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
  status: AccountStatus
  role: 'user' | 'admin'
  locale: 'sw' | 'en'
  mfa_method?: Exclude<MfaMethod, 'none'>
  created_at: string
}
