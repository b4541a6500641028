import type { Tx } from '../../db/db.ts'
import { Failure, invalidField } from '../../lib/failure.ts'
import type { Account } from '../account.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import {
  findAccount,
  findHolder,
  lockAccount,
  lockIdentifier,
  setPhone,
} from '../accounts-store.ts'
import { askerOf } from '../codes/asker.ts'
import type { Device } from '../codes/asker.ts'
import { tellOfChange } from '../codes/changes.ts'
import { codeRequest, requireSendCode } from '../codes/codes.ts'
import { passedFactor, type Caller } from '../codes/second-factor.ts'
import { requireReachable } from '../codes/sms-codes.ts'
import { addressChanges, takeTry } from '../codes/throttle.ts'
import { readShown } from '../credentials/sessions-store.ts'
import { masked, readPhone } from '../identifiers.ts'
import type { OwnerProof } from '../owner-proof.ts'
import { confirmOwner, type Confirmation } from '../sessions/confirm-owner.ts'

type PhoneChange = Confirmation & {
  phoneNumber: string
  /** Where it is asked from: who answers from there has the code's own tries. */
  device: Device
}

/**
 * The profile shows the new number at once, unverified; the number verified last is used to sign
 * in until the code sent to the new one comes back, and for seven days more where nothing shows that
 * the owner is asking: a session alone may be stolen.
 */
export async function changePhone(
  accounts: CodeSender & Pick<Accounts, 'db' | 'passwords'>,
  caller: Caller,
  { phoneNumber: text, device, ...given }: PhoneChange,
): Promise<void> {
  const value = readPhone(text)
  if (value === undefined) {
    const why = 'must be a mobile number in international format, such as +255712345678'
    throw invalidField('phone_number', why)
  }
  requireReachable(accounts, value)
  if (await isConfirmed(accounts, caller, given)) {
    return confirmOwner(accounts, caller, given, (tx, account, proof) =>
      nameNumber(accounts, tx, { account, value, device, proof }),
    )
  }
  await accounts.db.begin(async (tx) => {
    const account = await lockAccount(tx, caller.accountId)
    if (!account) throw new Failure('unauthorized', 'This account has been deleted.')
    await nameNumber(accounts, tx, { account, value, device, proof: undefined })
  })
}

/** Whoever sends a proof wants it checked; a session of ten minutes is one without asking. */
async function isConfirmed(
  { db }: Pick<Accounts, 'db'>,
  { accountId, sessionId }: Caller,
  { password, mfaCode }: Confirmation,
): Promise<boolean> {
  if (password !== undefined || mfaCode !== undefined) return true
  const shown = await readShown(db, sessionId)
  // Else one stolen token would name one number after the other, each opening a session.
  if (!shown || shown.guest) {
    throw new Failure('forbidden', 'Sign in again to change the phone number.')
  }
  const account = await findAccount(db, accountId)
  return shown.owner && account !== undefined && passedFactor(db, account, shown)
}

type NamedNumber = {
  account: Account
  value: string
  device: Device
  proof: OwnerProof | undefined
}

async function nameNumber(
  accounts: CodeSender,
  tx: Tx,
  { account, value, device, proof }: NamedNumber,
): Promise<void> {
  const who = { channel: 'phone' as const, value }
  const accountId = account.id
  await lockIdentifier(tx, value)
  const holder = await findHolder(tx, who)
  if (holder && holder.id !== accountId) throw belongsToAnother()
  if (account.phoneNumber !== value) {
    const data = { phone_number: masked(who) }
    await tellOfChange(accounts, tx, { accountId, type: 'security.phone_changed', data })
  }
  await setPhone(tx, accountId, { phoneNumber: value, proof })
  const request = codeRequest(accounts, who, 'verify_phone')
  const asker = await askerOf(accounts, tx, device, accountId)
  const by = { key: accountId, known: false }
  await requireSendCode(accounts, tx, { request, asker, account, to: value, by })
  await takeTry(tx, addressChanges(accountId, proof ? 'owner' : 'session'))
}

function belongsToAnother(): Failure {
  return new Failure('conflict', 'phone_number belongs to another account.', {
    param: 'phone_number',
  })
}
