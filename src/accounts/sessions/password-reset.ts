import { notify } from '../../notices/notices.ts'
import type { Account } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { findOwner, lockAccount, setPassword } from '../accounts-store.ts'
import { codeExpired, codeWrong, sendCode, tryCode, wrongCodes } from '../codes/codes.ts'
import { CODE_LIFE_S, COOL_DOWN_S, coolDownLeft, useCode } from '../codes/codes-store.ts'
import { readIdentifier, subjectOf } from '../identifiers.ts'
import { loginTries } from './login.ts'
import { checkNewPassword } from '../credentials/passwords.ts'
import { readable } from '../codes/resend.ts'
import type { SentView } from '../codes/resend.ts'
import { endAllSessions } from '../credentials/sessions-store.ts'
import { forgive } from '../codes/throttle.ts'

/** Always the same answer. Inside the cool-down nothing is sent, and `resend_after` says so. */
export async function forgotPassword(room: Accounts, identifier: string): Promise<SentView> {
  const who = readable(identifier)
  const subject = subjectOf(room.keys.identifiers, who.value)
  const ask = { subject, purpose: 'reset_password' as const, channel: who.channel }
  const resendAfter = await room.db.begin(async (tx) => {
    const owner = await findOwner(tx, who)
    const account = owner?.status === 'active' ? owner : undefined
    const sent = await sendCode(room, tx, { ask, account, to: who.value })
    return sent ? COOL_DOWN_S : coolDownLeft(tx, subject, ask.purpose)
  })
  return { sent: true, expires_in: CODE_LIFE_S, resend_after: resendAfter }
}

/** Every session ends, and whoever was throttled may try again. It signs nobody in. */
export async function resetPassword(
  room: Accounts,
  given: { identifier: string; code: string; newPassword: string },
): Promise<void> {
  const who = readIdentifier(given.identifier)
  checkNewPassword(given.newPassword, who ? [who.value] : [], 'new_password')
  if (!who) throw codeWrong()
  const subject = subjectOf(room.keys.identifiers, who.value)
  const ask = { subject, purpose: 'reset_password' as const, channel: who.channel }
  const row = await tryCode(room, ask, given)
  const passwordHash = await room.passwords.hash(given.newPassword)
  const account = await room.db.begin(async (tx) => {
    const account = await lockAccount(tx, row.accountId)
    if (!account || !(await useCode(tx, row.id))) throw codeExpired()
    await setPassword(tx, account.id, passwordHash)
    await endAllSessions(tx, account.id, 'password')
    await forgive(tx, wrongCodes(subject), ...loginBuckets(room, account))
    await notify(tx, { accountId: account.id, type: 'security.password_changed', data: {} })
    return account
  })
  room.sessions.forget(account.id)
}

/** Every way in of the account, not only the one the code went to. */
function loginBuckets(room: Accounts, { email, loginPhone }: Account) {
  const ways = [email, loginPhone].filter((value) => value !== null)
  return ways.map((value) => loginTries(subjectOf(room.keys.identifiers, value)))
}
