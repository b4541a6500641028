import type { Row, Tx } from '../db/db.ts'
import type { NoticeCategory } from './notice.ts'

export type Preferences = Record<'email' | 'sms', Record<NoticeCategory, boolean>>

/** Emails cost nothing. An SMS has a price, so it is for payments and security only. */
export const DEFAULT_PREFERENCES: Preferences = {
  email: { payments: true, usage: true, security: true },
  sms: { payments: true, usage: false, security: true },
}

export type PreferencesPatch = {
  [C in keyof Preferences]?: { [K in NoticeCategory]?: boolean | undefined } | undefined
}

const COLUMNS = 'email_payments, email_usage, email_security, sms_payments, sms_usage, sms_security'

export async function readPreferences(tx: Tx, accountId: string): Promise<Preferences | undefined> {
  const rows = await tx.read(
    `select ${COLUMNS} from notification_preferences where account_id = $1`,
    [accountId],
  )
  return rows[0] && preferencesFrom(rows[0])
}

/** A null leaves what is there; a first patch starts from the defaults. */
export async function savePreferences(
  tx: Tx,
  accountId: string,
  patch: PreferencesPatch,
): Promise<Preferences> {
  const rows = await tx.query(
    `insert into notification_preferences as stored (account_id, ${COLUMNS})
     values ($1, $8, $9, $10, $11, $12, $13)
     on conflict (account_id) do update set
       email_payments = coalesce($2::boolean, stored.email_payments),
       email_usage = coalesce($3::boolean, stored.email_usage),
       email_security = coalesce($4::boolean, stored.email_security),
       sms_payments = coalesce($5::boolean, stored.sms_payments),
       sms_usage = coalesce($6::boolean, stored.sms_usage),
       sms_security = coalesce($7::boolean, stored.sms_security),
       updated_at = now()
     returning ${COLUMNS}`,
    [accountId, ...flat(patch), ...flat(overDefaults(patch))],
  )
  return preferencesFrom(rows[0]!)
}

export async function deletePreferences(tx: Tx, accountId: string): Promise<void> {
  await tx.query('delete from notification_preferences where account_id = $1', [accountId])
}

export function preferencesFrom(row: Row): Preferences {
  const on = (name: string) => row[name] as boolean
  return {
    email: {
      payments: on('email_payments'),
      usage: on('email_usage'),
      security: on('email_security'),
    },
    sms: { payments: on('sms_payments'), usage: on('sms_usage'), security: on('sms_security') },
  }
}

function overDefaults({ email, sms }: PreferencesPatch): PreferencesPatch {
  return {
    email: { ...DEFAULT_PREFERENCES.email, ...email },
    sms: { ...DEFAULT_PREFERENCES.sms, ...sms },
  }
}

function flat({ email, sms }: PreferencesPatch): (boolean | null)[] {
  return [
    email?.payments,
    email?.usage,
    email?.security,
    sms?.payments,
    sms?.usage,
    sms?.security,
  ].map((value) => value ?? null)
}
