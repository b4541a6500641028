import type { Tx } from '../../db/db.ts'
import { invalidField } from '../../lib/failure.ts'
import { notify } from '../../notices/notices.ts'
import { claims } from '../account.ts'
import type { Account } from '../account.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import { findOwner, lockAccount, lockIdentifier } from '../accounts-store.ts'
import { checkChannel, codeExpired, codeRequest, codeWrong, tryCode } from '../codes/codes.ts'
import { useCode } from '../codes/codes-store.ts'
import type { CodeChannel, CodeRow } from '../codes/codes-store.ts'
import { spendTotp } from '../codes/mfa.ts'
import { RECOVERY_CODE } from '../codes/recovery-codes.ts'
import { clearTries, codeTries } from '../codes/throttle.ts'
import { masked, readIdentifier } from '../identifiers.ts'
import type { Identifier } from '../identifiers.ts'
import { activate, proveIdentifier } from './activation.ts'
import { openChallenge } from './challenge.ts'
import type { ChallengeView } from './challenge.ts'
import { openSession, presentSession } from './sessions.ts'
import type { Device, OpenedSession, SessionView } from './sessions.ts'

export type CodeAnswer = {
  identifier: string
  channel: CodeChannel
  purpose: 'verify_email' | 'verify_phone' | 'login_mfa'
  code: string
  challengeId?: string | undefined
}

/**
 * A right code, once, for its purpose and channel, opens a session; where it only verified an
 * address of an account with a second factor, it opens the challenge of a login.
 */
export async function verifyCode(
  accounts: Accounts,
  answer: CodeAnswer,
  device: Device,
): Promise<SessionView | ChallengeView> {
  checkChannel(answer)
  const who = readIdentifier(answer.identifier)
  if (!who) throw codeWrong()
  const { purpose, channel } = answer
  if (RECOVERY_CODE.test(answer.code) && channel !== 'totp') {
    throw invalidField(
      'code',
      'must be six digits; recovery codes stand in for an authenticator app',
    )
  }
  if (purpose !== 'login_mfa' && who.channel !== channel) throw codeWrong()
  const request = codeRequest(accounts, who, purpose, channel)
  const row = await tryCode(accounts, request, answer)
  if (channel === 'totp') await spendTotp(accounts, row.accountId, answer.code)
  const outcome = await accounts.db.begin(async (tx) => {
    await clearTries(tx, codeTries(request.subject))
    return purpose === 'login_mfa'
      ? finishLogin(accounts, tx, { row, who, device, by: channel })
      : finishVerification(accounts, tx, { row, who, device })
  })
  return 'mfa_required' in outcome ? outcome : presentSession(accounts, outcome)
}

type Finished = { row: CodeRow & { accountId: string }; who: Identifier; device: Device }

async function finishLogin(
  accounts: Pick<Accounts, 'clock' | 'keys'>,
  tx: Tx,
  { row, who, device, by }: Finished & { by: CodeChannel },
): Promise<OpenedSession> {
  const account = await findOwner(tx, who)
  if (account?.id !== row.accountId || !(await useCode(tx, row))) throw codeExpired()
  return openSession(accounts, tx, {
    account,
    device,
    secondFactor: by === 'totp' ? 'device' : 'message',
  })
}

async function finishVerification(
  accounts: CodeSender & Pick<Accounts, 'signupBonusMicro'>,
  tx: Tx,
  { row, who, device }: Finished,
): Promise<OpenedSession | ChallengeView> {
  await lockIdentifier(tx, who.value)
  const found = await lockAccount(tx, row.accountId)
  if (!found || !(await useCode(tx, row))) throw codeExpired()
  const owner = await findOwner(tx, who)
  // Someone else has verified it in the meantime, or the account has named another: this code has
  // nothing left to prove.
  if ((owner && owner.id !== found.id) || !claims(found, who)) throw codeExpired()
  const secondFactor = found.mfaMethod !== 'none'
  const announced = found.status === 'active' && !secondFactor
  // Before the change, so that it reaches the number that is about to be replaced.
  if (announced) await announce(tx, { account: found, who, device })
  await proveIdentifier(tx, found.id, who)
  const account = await activate(accounts, tx, { accountId: found.id, proofs: [who.value] })
  if (secondFactor && account.status === 'active') {
    return openChallenge(accounts, tx, { account, who, device })
  }
  return openSession(accounts, tx, { account, device, announced })
}

/** Holding the number was enough to sign in, so the owner is always notified. */
async function announce(
  tx: Tx,
  { account, who, device }: { account: Account; who: Identifier; device: Device },
): Promise<void> {
  const data = { address: device.address, verified: masked(who) }
  await notify(tx, { accountId: account.id, type: 'security.new_login', data })
}
