import type { Tx } from '../../db/db.ts'
import { Failure, invalidField } from '../../lib/failure.ts'
import type { Account } from '../account.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import { findAccount, lockAccount } from '../accounts-store.ts'
import { askForFactor, giveSecondFactor, passedFactor } from '../codes/second-factor.ts'
import type { Caller } from '../codes/second-factor.ts'
import {
  checkTries,
  clearTries,
  ownerChanges,
  ownPasswordTries,
  takeTry,
} from '../codes/throttle.ts'
import { markConfirmed, readShown } from '../credentials/sessions-store.ts'
import { ownerProof } from '../owner-proof.ts'
import type { OwnerProof } from '../owner-proof.ts'

export type Confirmation = { password?: string | undefined; mfaCode?: string | undefined }

type Change<T> = (tx: Tx, account: Account, proof: OwnerProof) => Promise<T>

/**
 * Stands before everything that changes a way in or a second factor: a stolen session must not be
 * enough to take the account over. Within the last ten minutes its holder has signed in with this
 * session, or sends the password; where a second factor is on, the same holds for that. Where it is a
 * code that we send, it is sent now, and the answer says so; in an account with a passkey no such code
 * counts. `change` is given the locked account.
 */
export async function confirmOwner<T>(
  accounts: CodeSender & Pick<Accounts, 'db' | 'passwords'>,
  caller: Caller,
  given: Confirmation & { field?: string },
  change: Change<T>,
): Promise<T> {
  const { password, mfaCode, field = 'password' } = given
  if (password !== undefined) await givePassword(accounts, caller, { password, field })
  if (mfaCode !== undefined) await giveSecondFactor(accounts, caller, mfaCode)
  const outcome = await accounts.db.begin(async (tx) => {
    const account = await lockAccount(tx, caller.accountId)
    const shown = await readShown(tx, caller.sessionId)
    if (!account || !shown) throw ended()
    if (!shown.owner) throw notShown(account, field)
    if (!(await passedFactor(tx, account, shown))) return { asks: account }
    await takeTry(tx, ownerChanges(account.id))
    return { done: await change(tx, account, ownerProof(account.id)) }
  })
  if ('done' in outcome) return outcome.done
  throw await askForFactor(accounts, outcome.asks, caller)
}

/** The password alone. It counts as a sign-in of this session: for ten minutes. */
export async function confirmPassword(
  accounts: Pick<Accounts, 'db' | 'passwords'>,
  caller: Caller,
  password: string,
): Promise<void> {
  const field = 'password'
  const account = await givePassword(accounts, caller, { password, field })
  const shown = await readShown(accounts.db, caller.sessionId)
  if (!shown?.owner) throw notShown(account, field)
}

/** An account that came from a social sign-in has none: whatever is sent says nothing. */
async function givePassword(
  accounts: Pick<Accounts, 'db' | 'passwords'>,
  { accountId, sessionId }: Caller,
  { password, field }: { password: string; field: string },
): Promise<Account> {
  const { db } = accounts
  const account = await findAccount(db, accountId)
  if (!account) throw ended()
  if (account.passwordHash === null) return account
  const tries = ownPasswordTries(sessionId)
  await checkTries(db, tries)
  if (!(await accounts.passwords.verify(account.passwordHash, password))) {
    await takeTry(db, tries)
    throw invalidField(field, 'is incorrect')
  }
  // Among parallel guesses, a right one must fail once the others have used up the tries.
  await checkTries(db, tries)
  await clearTries(db, tries)
  await markConfirmed(db, sessionId)
  return account
}

function notShown({ passwordHash }: Account, field: string): Failure {
  if (passwordHash !== null) return invalidField(field, 'is required')
  return new Failure('forbidden', 'Sign in again to make this change, then try within ten minutes.')
}

function ended(): Failure {
  return new Failure('unauthorized', 'The bearer token is missing, invalid or expired.')
}
