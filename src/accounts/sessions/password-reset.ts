import { notify } from '../../notices/notices.ts'
import type { Account } from '../account.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import { findOwner, lockAccount, setPassword } from '../accounts-store.ts'
import { codeExpired, codeRequest, codeWrong, sendCode, tryCode } from '../codes/codes.ts'
import { CODE_LIFE_S, COOL_DOWN_S, useCode } from '../codes/codes-store.ts'
import type { SentView } from '../codes/resend.ts'
import { clearTries, codeTries, passwordTries } from '../codes/throttle.ts'
import { checkNewPassword } from '../credentials/passwords.ts'
import { endAllSessions } from '../credentials/sessions-store.ts'
import { readIdentifier, requireIdentifier, subjectOf } from '../identifiers.ts'

/** Always the same answer. During the cool-down nothing is sent, and `resend_after` says so. */
export async function forgotPassword(
  accounts: CodeSender & Pick<Accounts, 'db'>,
  identifier: string,
  from?: string,
): Promise<SentView> {
  const who = requireIdentifier(identifier)
  const request = codeRequest(accounts, who, 'reset_password')
  const resendAfter = await accounts.db.begin(async (tx) => {
    const owner = await findOwner(tx, who)
    const account = owner?.status === 'active' ? owner : undefined
    const sent = await sendCode(accounts, tx, { request, account, to: who.value, from })
    return sent.waitS ?? COOL_DOWN_S
  })
  return { sent: true, expires_in: CODE_LIFE_S, resend_after: resendAfter }
}

/** Ends every session and every throttle of the account. It signs nobody in. */
export async function resetPassword(
  accounts: Pick<Accounts, 'db' | 'keys' | 'passwords' | 'sessions'>,
  body: { identifier: string; code: string; newPassword: string },
): Promise<void> {
  const who = readIdentifier(body.identifier)
  checkNewPassword(body.newPassword, who ? [who.value] : [], 'new_password')
  if (!who) throw codeWrong()
  const request = codeRequest(accounts, who, 'reset_password')
  const row = await tryCode(accounts, request, body)
  const passwordHash = await accounts.passwords.hash(body.newPassword)
  const account = await accounts.db.begin(async (tx) => {
    const account = await lockAccount(tx, row.accountId)
    if (!account || !(await useCode(tx, row))) throw codeExpired()
    await setPassword(tx, account.id, passwordHash)
    await endAllSessions(tx, account.id, 'password')
    await clearTries(tx, codeTries(request.subject), ...allPasswordTries(accounts, account))
    await notify(tx, { accountId: account.id, type: 'security.password_changed', data: {} })
    return account
  })
  accounts.sessions.forget(account.id)
}

/** Of every identifier the account signs in with, not only the one the code went to. */
function allPasswordTries(accounts: Pick<Accounts, 'keys'>, { email, loginPhone }: Account) {
  const identifiers = [email, loginPhone].filter((value) => value !== null)
  return identifiers.map((value) => passwordTries(subjectOf(accounts.keys.identifiers, value)))
}
