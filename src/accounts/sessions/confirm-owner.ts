import { Failure, invalidField } from '../../lib/failure.ts'
import type { Account } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { findAccount } from '../accounts-store.ts'
import type { Caller } from '../codes/second-factor.ts'
import { checkTries, clearTries, ownPasswordTries, takeTry } from '../codes/throttle.ts'
import { isFreshSession } from '../credentials/sessions-store.ts'

/**
 * Whoever has only found an open session must not take the account over with it: the password is
 * asked for, or where there is none, a sign-in of the last ten minutes.
 */
export async function confirmOwner(
  accounts: Pick<Accounts, 'db' | 'passwords'>,
  { accountId, sessionId }: Caller,
  given: { password: string | undefined; field: string },
): Promise<Account> {
  const { db } = accounts
  const account = await findAccount(db, accountId)
  if (!account) throw new Failure('unauthorized', 'This account has been deleted.')
  if (account.passwordHash === null) {
    if (await isFreshSession(db, sessionId)) return account
    throw new Failure(
      'forbidden',
      'Sign in again to make this change, then try within ten minutes.',
    )
  }
  const { password, field } = given
  if (password === undefined) throw invalidField(field, 'is required')
  const tries = ownPasswordTries(accountId)
  await checkTries(db, tries)
  if (!(await accounts.passwords.verify(account.passwordHash, password))) {
    await takeTry(db, tries)
    throw invalidField(field, 'is incorrect')
  }
  // Of many guesses at once the right one must not pass after the wrong ones have spent the tries.
  await checkTries(db, tries)
  await clearTries(db, tries)
  return account
}
