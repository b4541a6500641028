import type { Accounts, CodeSender } from '../accounts.ts'
import { findAccount, setPassword } from '../accounts-store.ts'
import { tellOfChange } from '../codes/changes.ts'
import type { Caller } from '../codes/second-factor.ts'
import { checkNewPassword } from '../credentials/passwords.ts'
import { endOtherSessions } from '../credentials/sessions-store.ts'
import { confirmOwner } from './confirm-owner.ts'

type PasswordChange = { current: string | undefined; next: string; mfaCode: string | undefined }

/** Ends every other session: whoever knew the old password is out. */
export async function changePassword(
  accounts: CodeSender & Pick<Accounts, 'db' | 'passwords' | 'sessions'>,
  caller: Caller,
  { current, next, mfaCode }: PasswordChange,
): Promise<void> {
  const { accountId, sessionId } = caller
  const known = await findAccount(accounts.db, accountId)
  const own = [known?.email, known?.loginPhone].filter((value) => typeof value === 'string')
  checkNewPassword(next, own, 'new_password')
  const passwordHash = await accounts.passwords.hash(next)
  const given = { password: current, mfaCode, field: 'current_password' }
  await confirmOwner(accounts, caller, given, async (tx, _, proof) => {
    await tellOfChange(accounts, tx, { accountId, type: 'security.password_changed', data: {} })
    await setPassword(tx, proof, passwordHash)
    await endOtherSessions(tx, { id: sessionId, accountId, reason: 'password' })
  })
  accounts.sessions.forget(accountId)
}
