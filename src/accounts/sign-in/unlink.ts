import { Failure } from '../../lib/failure.ts'
import type { Account } from '../account.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import { tellOfChange } from '../codes/changes.ts'
import type { Caller } from '../codes/second-factor.ts'
import { confirmOwner, type Confirmation } from '../sessions/confirm-owner.ts'
import { listIdentities, unlinkIdentity } from './identities-store.ts'

/** From now on that identity does not sign in here. Nobody can unlink the last way in. */
export async function unlink(
  accounts: CodeSender & Pick<Accounts, 'db' | 'passwords'>,
  caller: Caller,
  { id, ...given }: Confirmation & { id: string },
): Promise<void> {
  await confirmOwner(accounts, caller, given, async (tx, account, proof) => {
    const all = await listIdentities(tx, account.id)
    const identity = all.find((one) => one.id === id)
    if (!identity) throw new Failure('not_found', 'There is no such identity.')
    if (all.length === 1 && !hasAddress(account)) {
      throw new Failure(
        'conflict',
        'This is the only way to sign in to this account. Verify an email address or a phone number first.',
      )
    }
    const data = { provider: identity.provider }
    const notice = { accountId: account.id, type: 'security.identity_unlinked' as const, data }
    await tellOfChange(accounts, tx, notice)
    await unlinkIdentity(tx, proof, id)
  })
}

/** Whoever has one can always set a password by its codes. */
function hasAddress({ email, emailVerified, loginPhone }: Account): boolean {
  return (email !== null && emailVerified) || loginPhone !== null
}
