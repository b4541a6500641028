import { Failure, invalidField } from '../../lib/failure.ts'
import { profileOf, type Profile } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { findAccount, findOwner, lockAccount, lockIdentifier } from '../accounts-store.ts'
import { tellOfChange } from '../codes/changes.ts'
import { codeExpired, codeRequest, codeWrong, requireSendCode, tryCode } from '../codes/codes.ts'
import { CODE_LIFE_S, COOL_DOWN_S, useCode } from '../codes/codes-store.ts'
import { sessionAsker } from '../codes/asker.ts'
import type { Caller } from '../codes/second-factor.ts'
import { addressChanges, clearTries, takeTry } from '../codes/throttle.ts'
import { masked } from '../identifiers.ts'
import { ownerProof } from '../owner-proof.ts'
import { activate, proveIdentifier } from './activation.ts'
import { confirmOwner, type Confirmation } from './confirm-owner.ts'

export type EmailChangeView = {
  pending_verification: true
  email: string
  expires_in: number
  resend_after: number
}

/** Sends a code to the new address. Until it comes back, nothing changes. */
export async function startEmailChange(
  accounts: Accounts,
  caller: Caller,
  change: Confirmation & { email: string },
): Promise<EmailChangeView> {
  const { accountId } = caller
  const { email } = change
  const who = { channel: 'email' as const, value: email }
  const request = codeRequest(accounts, who, 'change_email')
  await confirmOwner(accounts, caller, change, async (tx, account) => {
    const owner = await findOwner(tx, who)
    if (owner?.id === accountId)
      throw invalidField('email', 'is already the address of your account')
    if (owner) throw belongsToAnother()
    const asker = sessionAsker(accounts, caller.sessionId)
    const by = { key: accountId, known: false }
    await requireSendCode(accounts, tx, { request, asker, account, to: email, by })
    await takeTry(tx, addressChanges(accountId, 'owner'))
  })
  return {
    pending_verification: true,
    email,
    expires_in: CODE_LIFE_S,
    resend_after: COOL_DOWN_S,
  }
}

/** Its code goes out only once the owner has confirmed the change, and makes the address its own. */
export async function finishEmailChange(
  accounts: Pick<Accounts, 'db' | 'keys' | 'pagesUrl' | 'signupBonusMicro'>,
  { accountId, sessionId }: Caller,
  { email, code }: { email: string; code: string },
): Promise<Profile> {
  const who = { channel: 'email' as const, value: email }
  const request = codeRequest(accounts, who, 'change_email')
  const asker = sessionAsker(accounts, sessionId)
  const row = await tryCode(accounts, request, { code, asker })
  // The code belongs to another account that is changing to the same address.
  if (row.accountId !== accountId) throw codeWrong()
  return accounts.db.begin(async (tx) => {
    await lockIdentifier(tx, email)
    const account = await lockAccount(tx, accountId)
    if (!account || !(await useCode(tx, row))) throw codeExpired()
    const owner = await findOwner(tx, who)
    if (owner && owner.id !== accountId) throw belongsToAnother()
    const data = { email: masked(who) }
    await tellOfChange(accounts, tx, { accountId, type: 'security.email_changed', data })
    await proveIdentifier(tx, ownerProof(accountId), who)
    await activate(accounts, tx, { accountId, proofs: [email] })
    await clearTries(tx, row.counted)
    return profileOf((await findAccount(tx, accountId))!)
  })
}

function belongsToAnother(): Failure {
  return new Failure('conflict', 'email belongs to another account.', { param: 'email' })
}
