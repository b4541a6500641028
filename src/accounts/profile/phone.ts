import { Failure } from '../../lib/failure.ts'
import { notify } from '../../notices/notices.ts'
import type { Accounts } from '../accounts.ts'
import { findOwner, lockAccount, lockIdentifier, setPhone } from '../accounts-store.ts'
import { sendCode } from '../codes/codes.ts'
import { coolDownLeft } from '../codes/codes-store.ts'
import { masked, readPhone, subjectOf } from '../identifiers.ts'
import { tooSoon } from '../sessions/register.ts'
import { takeTry } from '../codes/throttle.ts'

/**
 * The new number stands on the profile at once, unverified; the last proven one stays the way in
 * until the code for the new one comes back.
 */
export async function changePhone(room: Accounts, accountId: string, text: string): Promise<void> {
  const value = readPhone(text)
  if (value === undefined) {
    throw new Failure('invalid', 'phone_number must be a mobile number in E.164 form.', {
      param: 'phone_number',
    })
  }
  const who = { channel: 'phone' as const, value }
  const subject = subjectOf(room.keys.identifiers, value)
  const ask = { subject, purpose: 'verify_phone' as const, channel: who.channel }
  await room.db.begin(async (tx) => {
    await lockIdentifier(tx, value)
    const owner = await findOwner(tx, who)
    if (owner && owner.id !== accountId) throw belongsToAnother()
    const account = await lockAccount(tx, accountId)
    if (!account) throw new Failure('unauthorized', 'The account was deleted.')
    // Before the change, so that it reaches the number that is about to be left.
    const data = { phone_number: masked(who) }
    if (account.phoneNumber !== value) {
      await notify(tx, { accountId, type: 'security.phone_changed', data })
    }
    await setPhone(tx, accountId, value)
    const sent = await sendCode(room, tx, { ask, account, to: value })
    if (!sent) throw tooSoon(await coolDownLeft(tx, subject, ask.purpose))
    await takeTry(tx, `sends:account:${accountId}`)
  })
}

function belongsToAnother(): Failure {
  return new Failure('conflict', 'phone_number belongs to another account.', {
    param: 'phone_number',
  })
}
