import { notify } from '../../notices/notices.ts'
import type { Account } from '../account.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import { findOwner, lockAccount, setPassword } from '../accounts-store.ts'
import { askerOf } from '../codes/asker.ts'
import type { Asker, Device } from '../codes/asker.ts'
import { codeExpired, codeRequest, codeWrong, sendCode, tryCode } from '../codes/codes.ts'
import { CODE_LIFE_S, COOL_DOWN_S, useCode } from '../codes/codes-store.ts'
import type { SentView } from '../codes/resend.ts'
import { clearTries, passwordTries } from '../codes/throttle.ts'
import type { Tries } from '../codes/throttle.ts'
import { revokeAllKeys } from '../credentials/api-keys-store.ts'
import { checkNewPassword } from '../credentials/passwords.ts'
import { endAllSessions } from '../credentials/sessions-store.ts'
import { readIdentifier, requireIdentifier, subjectOf } from '../identifiers.ts'

/** Always the same answer. During the cool-down nothing is sent, and `resend_after` says so. */
export async function forgotPassword(
  accounts: CodeSender & Pick<Accounts, 'db'>,
  identifier: string,
  device: Device,
): Promise<SentView> {
  const who = requireIdentifier(identifier)
  const request = codeRequest(accounts, who, 'reset_password')
  const resendAfter = await accounts.db.begin(async (tx) => {
    const owner = await findOwner(tx, who)
    const account = owner?.status === 'active' ? owner : undefined
    const asker = await askerOf(accounts, tx, device, account?.id)
    const sent = await sendCode(accounts, tx, { request, asker, account, to: who.value })
    return sent.waitS ?? COOL_DOWN_S
  })
  return { sent: true, expires_in: CODE_LIFE_S, resend_after: resendAfter }
}

/**
 * Ends every session, and what the asker has to wait after wrong passwords. It signs nobody in. Where
 * it was not certain until now that the account is its owner's, its keys end too.
 */
export async function resetPassword(
  accounts: Pick<Accounts, 'apiKeys' | 'db' | 'keys' | 'passwords' | 'sessions'>,
  body: { identifier: string; code: string; newPassword: string },
  device: Device,
): Promise<void> {
  const who = readIdentifier(body.identifier)
  checkNewPassword(body.newPassword, who ? [who.value] : [], 'new_password')
  if (!who) throw codeWrong()
  const request = codeRequest(accounts, who, 'reset_password')
  const asker = await askerOf(accounts, accounts.db, device)
  const row = await tryCode(accounts, request, { code: body.code, asker })
  const passwordHash = await accounts.passwords.hash(body.newPassword)
  const account = await accounts.db.begin(async (tx) => {
    const account = await lockAccount(tx, row.accountId)
    if (!account || !(await useCode(tx, row))) throw codeExpired()
    await setPassword(tx, account.id, passwordHash)
    await endAllSessions(tx, account.id, 'password')
    if (account.contested) await revokeAllKeys(tx, account.id)
    await clearTries(tx, row.counted, ...passwordTriesOf(accounts, account, asker))
    await notify(tx, { accountId: account.id, type: 'security.password_changed', data: {} })
    return account
  })
  accounts.sessions.forget(account.id)
  accounts.apiKeys.forget(account.id)
}

/** Of every identifier the account signs in with, not only the one the code went to. */
function passwordTriesOf(
  { keys }: Pick<Accounts, 'keys'>,
  { email, loginPhone }: Account,
  { marks }: Asker,
): Tries[] {
  const identifiers = [email, loginPhone].filter((value) => value !== null)
  const subjects = identifiers.map((value) => subjectOf(keys.identifiers, value))
  return subjects.flatMap((subject) =>
    marks.map((key) => passwordTries(subject, { key, known: true })),
  )
}
