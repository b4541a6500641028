import type { Tx } from '../../db/db.ts'
import { invalidField } from '../../lib/failure.ts'
import { notify } from '../../notices/notices.ts'
import { claims } from '../account.ts'
import type { Account } from '../account.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import {
  dropIdleClaims,
  dropPassword,
  dropPendingClaims,
  findAccount,
  findHolder,
  lockAccount,
  lockIdentifier,
  markWaiting,
} from '../accounts-store.ts'
import { askerOf } from '../codes/asker.ts'
import { checkChannel, codeExpired, codeRequest, codeWrong, tryCode } from '../codes/codes.ts'
import type { AnsweredCode, CodeRequest } from '../codes/codes.ts'
import { othersWaited, useCode } from '../codes/codes-store.ts'
import type { CodeChannel } from '../codes/codes-store.ts'
import { spendTotp } from '../codes/mfa.ts'
import { RECOVERY_CODE } from '../codes/recovery-codes.ts'
import { clearTries } from '../codes/throttle.ts'
import { revokeAllKeys } from '../credentials/api-keys-store.ts'
import { masked, readChallenged, readIdentifier } from '../identifiers.ts'
import type { Identifier } from '../identifiers.ts'
import { ownerProof, type OwnerProof } from '../owner-proof.ts'
import { activate, proveIdentifier } from './activation.ts'
import { challengeRequest, openChallenge, standing } from './challenge.ts'
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
  const { purpose, channel } = answer
  if (RECOVERY_CODE.test(answer.code) && channel !== 'totp') {
    throw invalidField(
      'code',
      'must be six digits; recovery codes stand in for an authenticator app',
    )
  }
  if (purpose === 'login_mfa') return verifyLogin(accounts, answer, device)
  const who = readIdentifier(answer.identifier)
  if (who?.channel !== channel) throw codeWrong()
  const request = codeRequest(accounts, who, purpose)
  const asker = await askerOf(accounts, accounts.db, device)
  const row = await tryCode(accounts, request, { ...answer, asker })
  const outcome = await accounts.db.begin(async (tx) => {
    await clearTries(tx, row.counted)
    return finishVerification(accounts, tx, { request, row, who, device })
  })
  return 'mfa_required' in outcome ? outcome : presentSession(accounts, outcome)
}

/** The second step of a login: the code of the challenge that the first one opened. */
async function verifyLogin(
  accounts: Accounts,
  answer: CodeAnswer,
  device: Device,
): Promise<SessionView> {
  const who = readChallenged(answer.identifier)
  if (who === undefined) throw codeWrong()
  const request = challengeRequest(accounts, who, answer.channel)
  const asker = await askerOf(accounts, accounts.db, device)
  const row = await tryCode(accounts, request, { ...answer, asker })
  if (answer.channel === 'totp') await spendTotp(accounts, row.accountId, answer.code)
  const opened = await accounts.db.begin(async (tx) => {
    await clearTries(tx, row.counted)
    return finishLogin(accounts, tx, { request, row, device, by: answer.channel })
  })
  return presentSession(accounts, opened)
}

type Finished = { request: CodeRequest; row: AnsweredCode; who: Identifier; device: Device }
type LoginAnswer = Omit<Finished, 'who'> & { by: CodeChannel }

async function finishLogin(
  accounts: Pick<Accounts, 'clock' | 'keys'>,
  tx: Tx,
  { request, row, device, by }: LoginAnswer,
): Promise<OpenedSession> {
  const account = await lockAccount(tx, row.accountId)
  const as = account && standing(accounts, account, request.subject)
  if (!account || !as || !(await useCode(tx, row))) throw codeExpired()
  const secondFactor = by === 'totp' ? 'device' : 'message'
  return openSession(accounts, tx, { account, device, secondFactor, guest: as === 'guest' })
}

async function finishVerification(
  accounts: CodeSender & Pick<Accounts, 'signupBonusMicro'>,
  tx: Tx,
  { request, row, who, device }: Finished,
): Promise<OpenedSession | ChallengeView> {
  await lockIdentifier(tx, who.value)
  const found = await lockAccount(tx, row.accountId)
  if (!found || !(await useCode(tx, row))) throw codeExpired()
  const holder = await findHolder(tx, who)
  // Someone else has verified it in the meantime, or the account has named another: this code has
  // nothing left to prove.
  if ((holder && holder.id !== found.id) || !claims(found, who)) throw codeExpired()
  const isNew = found.status === 'pending_verification'
  const contested = await othersWaited(tx, request, found)
  // Whoever holds the number may have meant another account: this one is somebody else's already.
  if (contested && !isNew && !row.own) throw codeExpired()
  const secondFactor = found.mfaMethod !== 'none'
  const announced = found.status === 'active' && !secondFactor
  // Before the change, so that it reaches the number that is about to be replaced.
  if (announced) await announce(tx, { account: found, who, device })
  const guest = found.status === 'active' && !found.phoneConfirmed
  if (guest) await proveUnconfirmed(tx, found.id, who)
  else await proveIdentifier(tx, ownerProof(found.id), who)
  const account = await activate(accounts, tx, { accountId: found.id, proofs: [who.value] })
  if (contested && isNew) await dropCredentials(tx, ownerProof(account.id))
  if (secondFactor && account.status === 'active') {
    return openChallenge(accounts, tx, { account, who: who.value, device })
  }
  const now = guest ? ((await findAccount(tx, account.id)) ?? account) : account
  return openSession(accounts, tx, { account: now, device, announced, guest })
}

/** A thief with a session could have named the number: it does not sign in yet. */
async function proveUnconfirmed(tx: Tx, accountId: string, who: Identifier): Promise<void> {
  if (who.channel === 'email') throw codeExpired()
  await dropPendingClaims(tx, who, accountId)
  await dropIdleClaims(tx, who, accountId)
  await markWaiting(tx, accountId)
}

/**
 * Another registration had a code for the same address meanwhile, and whoever answered may have
 * taken one for the other: what was set before is not certain to be the owner's.
 */
async function dropCredentials(tx: Tx, proof: OwnerProof): Promise<void> {
  const { accountId } = proof
  await dropPassword(tx, proof)
  await revokeAllKeys(tx, accountId)
  await notify(tx, { accountId, type: 'security.password_dropped', data: {} })
}

/** Holding the number was enough to sign in, so the owner is always notified. */
async function announce(
  tx: Tx,
  { account, who, device }: { account: Account; who: Identifier; device: Device },
): Promise<void> {
  const data = { address: device.address, verified: masked(who) }
  await notify(tx, { accountId: account.id, type: 'security.new_login', data })
}
