import { z } from 'zod'
import type { Db } from '../db/db.ts'
import { Failure } from '../lib/failure.ts'
import { categoryOf, type NoticeType } from './notice.ts'
import type { Preferences, PreferencesPatch } from './preferences-store.ts'
import { DEFAULT_PREFERENCES, readPreferences, savePreferences } from './preferences-store.ts'
import type { Channel } from './sender.ts'

export async function preferencesOf(db: Db, accountId: string): Promise<Preferences> {
  return (await readPreferences(db, accountId)) ?? DEFAULT_PREFERENCES
}

const channelPatch = z.strictObject({
  payments: z.boolean().optional(),
  usage: z.boolean().optional(),
  security: z.boolean().optional(),
})

export const preferencesPatch = z.strictObject({
  email: channelPatch.optional(),
  sms: channelPatch.optional(),
})

/** Merges deeply. The merge is one statement, so two patches at once both take effect. */
export async function changePreferences(
  db: Db,
  accountId: string,
  patch: PreferencesPatch,
): Promise<Preferences> {
  return db.begin(async (tx) => {
    const saved = await savePreferences(tx, accountId, patch)
    if (!saved.email.security && !saved.sms.security) {
      const message = 'At least one of email.security and sms.security must stay on.'
      throw new Failure('invalid', message, { param: 'security' })
    }
    return saved
  })
}

export type Address = { channel: Channel; to: string }

type Reachable = {
  email: string | null
  phone: string | null
  loginPhone: string | null
  preferences: Preferences | undefined
}

/** Not a number that waits: a thief may have named it. */
export function signInAddresses({ email, loginPhone }: Reachable): Address[] {
  return verified({ email, phone: loginPhone })
}

function verified({ email, phone }: Pick<Reachable, 'email' | 'phone'>): Address[] {
  return [
    ...(email === null ? [] : [{ channel: 'email' as const, to: email }]),
    ...(phone === null ? [] : [{ channel: 'sms' as const, to: phone }]),
  ]
}

/**
 * Where a notice goes: the verified addresses whose channel is on for its category. A security
 * notice that would reach nobody, because the chosen channel has no verified address, goes to the
 * other one: nobody must be able to steal an account without its owner being warned. That the
 * account was deleted is told at every verified address, since it cannot be read in the app.
 */
export function addressesFor(type: NoticeType, recipient: Reachable): Address[] {
  const category = categoryOf(type)
  const preferences = recipient.preferences ?? DEFAULT_PREFERENCES
  const signsIn = signInAddresses(recipient)
  const all = category === 'security' && signsIn.length > 0 ? signsIn : verified(recipient)
  if (type === 'security.account_deleted') return all
  const chosen = all.filter(({ channel }) => preferences[channel][category])
  return chosen.length === 0 && category === 'security' ? all : chosen
}
