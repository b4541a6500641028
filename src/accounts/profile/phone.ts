import { Failure, invalidField } from '../../lib/failure.ts'
import { notify } from '../../notices/notices.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import { findOwner, lockAccount, lockIdentifier, setPhone } from '../accounts-store.ts'
import { askerOf } from '../codes/asker.ts'
import type { Device } from '../codes/asker.ts'
import { codeRequest, requireSendCode } from '../codes/codes.ts'
import { withSecondFactor } from '../codes/second-factor.ts'
import type { Caller } from '../codes/second-factor.ts'
import { requireReachable } from '../codes/sms-codes.ts'
import { addressChanges, takeTry } from '../codes/throttle.ts'
import { masked, readPhone } from '../identifiers.ts'

export type PhoneChange = {
  phoneNumber: string
  mfaCode?: string | undefined
  /** Where it is asked from: who answers from there has the code's own tries. */
  device: Device
}

/**
 * The profile shows the new number at once, unverified; the number verified last is used to sign
 * in until the code sent to the new one comes back.
 */
export async function changePhone(
  accounts: CodeSender & Pick<Accounts, 'db'>,
  caller: Caller,
  { phoneNumber: text, mfaCode, device }: PhoneChange,
): Promise<void> {
  const { accountId } = caller
  const value = readPhone(text)
  if (value === undefined) {
    const why = 'must be a mobile number in international format, such as +255712345678'
    throw invalidField('phone_number', why)
  }
  requireReachable(accounts, value)
  const who = { channel: 'phone' as const, value }
  const request = codeRequest(accounts, who, 'verify_phone')
  await withSecondFactor(accounts, caller, {
    code: mfaCode,
    async change(tx, required) {
      await lockIdentifier(tx, value)
      const owner = await findOwner(tx, who)
      if (owner && owner.id !== accountId) throw belongsToAnother()
      const account = await lockAccount(tx, accountId)
      if (!account) throw new Failure('unauthorized', 'This account has been deleted.')
      // Once it is verified, the codes of the second factor would go to the new number.
      if (account.mfaMethod === 'phone' && account.loginPhone !== value) await required(account)
      // Before the change, so that it reaches the number that is about to be replaced.
      const data = { phone_number: masked(who) }
      if (account.phoneNumber !== value) {
        await notify(tx, { accountId, type: 'security.phone_changed', data })
      }
      await setPhone(tx, accountId, value)
      const asker = await askerOf(accounts, tx, device, accountId)
      const by = { key: accountId, known: false }
      await requireSendCode(accounts, tx, { request, asker, account, to: value, by })
      await takeTry(tx, addressChanges(accountId))
    },
  })
}

function belongsToAnother(): Failure {
  return new Failure('conflict', 'phone_number belongs to another account.', {
    param: 'phone_number',
  })
}
