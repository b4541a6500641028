import { Failure, invalidField } from '../../lib/failure.ts'
import type { Account } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { findAccount } from '../accounts-store.ts'
import type { Caller } from '../codes/second-factor.ts'
import { checkTries, clearTries, ownPasswordTries, takeTry } from '../codes/throttle.ts'
import { isFreshSession } from '../credentials/sessions-store.ts'

/**
 * A stolen session must not be enough to take the account over: this asks for the password or, for
 * an account without one, for a sign-in within the last ten minutes.
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
  const tries = ownPasswordTries(sessionId)
  await checkTries(db, tries)
  if (!(await accounts.passwords.verify(account.passwordHash, password))) {
    await takeTry(db, tries)
    throw invalidField(field, 'is incorrect')
  }
  // Among parallel guesses, a right one must fail once the others have used up the tries.
  await checkTries(db, tries)
  await clearTries(db, tries)
  return account
}
