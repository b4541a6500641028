import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import type { Account } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { findAccount, findOwner, lockAccount, lockIdentifier } from '../accounts-store.ts'
import { activate, proveIdentifier } from './activation.ts'
import { codeExpired, codeWrong, tryCode, wrongCodes } from '../codes/codes.ts'
import { useCode } from '../codes/codes-store.ts'
import type { CodeChannel, CodeRow } from '../codes/codes-store.ts'
import { readIdentifier, subjectOf } from '../identifiers.ts'
import type { Identifier } from '../identifiers.ts'
import { spendTotpStep } from '../codes/mfa-store.ts'
import { unseal } from '../credentials/sealed.ts'
import { presentSession, signIn } from './sessions.ts'
import type { Device, SessionView } from './sessions.ts'
import { forgive } from '../codes/throttle.ts'
import { totpStep } from '../credentials/totp.ts'

export type Answered = {
  identifier: string
  channel: CodeChannel
  purpose: 'verify_email' | 'verify_phone' | 'login_mfa'
  code: string
  challengeId?: string | undefined
}

/** A right code, once, for its purpose and channel, opens a session. */
export async function verifyCode(
  accounts: Accounts,
  given: Answered,
  device: Device,
): Promise<SessionView> {
  checkPair(given)
  const who = readIdentifier(given.identifier)
  if (!who) throw codeWrong()
  const { purpose, channel } = given
  if (purpose !== 'login_mfa' && who.channel !== channel) throw codeWrong()
  const subject = subjectOf(accounts.keys.identifiers, who.value)
  const row = await tryCode(accounts, { subject, purpose, channel }, given)
  if (channel === 'totp') await spendTotp(accounts, row.accountId, given.code)
  const opened = await accounts.db.begin(async (tx) => {
    const account =
      purpose === 'login_mfa'
        ? await passed(tx, row, who)
        : await proven(accounts, tx, { row, who })
    await forgive(tx, wrongCodes(subject))
    return signIn(accounts, tx, { account, device })
  })
  return presentSession(accounts, opened)
}

/** Which channels a purpose knows; a challenge is part of a login. */
export function checkPair(given: Pick<Answered, 'channel' | 'challengeId'> & { purpose: string }) {
  const { purpose, channel } = given
  const wanted = { verify_email: 'email', verify_phone: 'phone' }[purpose]
  const fits =
    wanted === undefined ? purpose === 'login_mfa' || channel !== 'totp' : channel === wanted
  if (!fits) {
    throw new Failure('invalid', `channel ${channel} does not go with purpose ${purpose}.`, {
      param: 'channel',
    })
  }
  if (purpose === 'login_mfa' && given.challengeId === undefined) {
    throw new Failure('invalid', 'challenge_id is required for login_mfa.', {
      param: 'challenge_id',
    })
  }
}

async function proven(
  accounts: Accounts,
  tx: Tx,
  { row, who }: { row: CodeRow & { accountId: string }; who: Identifier },
): Promise<Account> {
  await lockIdentifier(tx, who.value)
  const account = await lockAccount(tx, row.accountId)
  if (!account || !(await useCode(tx, row.id))) throw codeExpired()
  const owner = await findOwner(tx, who)
  // Someone else proved it in the meantime: this code has nothing left to prove.
  if (owner && owner.id !== account.id) throw codeExpired()
  await proveIdentifier(tx, account.id, who)
  return activate(accounts, tx, { accountId: account.id, proofs: [who.value] })
}

async function passed(
  tx: Tx,
  row: CodeRow & { accountId: string },
  who: Identifier,
): Promise<Account> {
  const account = await findOwner(tx, who)
  if (account?.id !== row.accountId || !(await useCode(tx, row.id))) throw codeExpired()
  return account
}

/** The try was counted with the challenge; here the code itself is judged, and works once. */
async function spendTotp(accounts: Accounts, accountId: string, code: string): Promise<void> {
  const account = await findAccount(accounts.db, accountId)
  if (!account?.totpSealed) throw codeExpired()
  const secret = unseal(accounts.keys.sealing, account.totpSealed, accountId)
  const step = totpStep(secret, code, accounts.clock.now())
  if (step === undefined || !(await spendTotpStep(accounts.db, accountId, step))) throw codeWrong()
}
