import { Failure } from '../../lib/failure.ts'
import { notify } from '../../notices/notices.ts'
import type { Accounts } from '../accounts.ts'
import { lockAccount, setPassword } from '../accounts-store.ts'
import type { Caller } from '../codes/second-factor.ts'
import { checkNewPassword } from '../credentials/passwords.ts'
import { endOtherSessions } from '../credentials/sessions-store.ts'
import { confirmOwner } from './confirm-owner.ts'

/** Ends every other session: whoever knew the old password is out. */
export async function changePassword(
  accounts: Pick<Accounts, 'db' | 'passwords' | 'sessions'>,
  caller: Caller,
  { current, next }: { current: string | undefined; next: string },
): Promise<void> {
  const { accountId, sessionId } = caller
  const known = await confirmOwner(accounts, caller, {
    password: current,
    field: 'current_password',
  })
  const own = [known.email, known.loginPhone].filter((value) => value !== null)
  checkNewPassword(next, own, 'new_password')
  const passwordHash = await accounts.passwords.hash(next)
  await accounts.db.begin(async (tx) => {
    const account = await lockAccount(tx, accountId)
    // Changed or reset in the meantime: what was confirmed is no longer so.
    if (account?.passwordHash !== known.passwordHash) {
      throw new Failure('conflict', 'The password was changed just now. Please try again.')
    }
    await setPassword(tx, accountId, passwordHash)
    await endOtherSessions(tx, { id: sessionId, accountId, reason: 'password' })
    await notify(tx, { accountId, type: 'security.password_changed', data: {} })
  })
  accounts.sessions.forget(accountId)
}
