import { Failure } from '../../lib/failure.ts'
import type { Account } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { findClaimant, findOwner } from '../accounts-store.ts'
import { sendCode } from '../codes/codes.ts'
import type { Ask } from '../codes/codes.ts'
import { CODE_LIFE_S, coolDownLeft, findLiveCode } from '../codes/codes-store.ts'
import { masked, readIdentifier, subjectOf } from '../identifiers.ts'
import type { Identifier } from '../identifiers.ts'
import { PURPOSE, tooSoon } from './register.ts'
import { presentSession, signIn } from './sessions.ts'
import type { Device, SessionView } from './sessions.ts'
import { checkTries, forgive, takeTry } from '../codes/throttle.ts'

export type ChallengeView = {
  mfa_required: true
  challenge_id: string
  channel: 'email' | 'phone' | 'totp'
  masked: string
  expires_in: number
}

/** Unknown identifiers take the same road and the same time as a wrong password. */
export async function login(
  room: Accounts,
  given: { identifier: string; password: string },
  device: Device,
): Promise<SessionView | ChallengeView> {
  const who = readIdentifier(given.identifier)
  const subject = subjectOf(room.keys.identifiers, who?.value ?? given.identifier)
  await checkTries(room.db, loginTries(subject))
  const account = who && (await accountFor(room, who))
  const right = await room.passwords.verify(account?.passwordHash, given.password)
  if (!who || !account || !right) {
    await takeTry(room.db, loginTries(subject))
    throw new Failure('invalid_credentials', 'The identifier or the password is wrong.')
  }
  // Of many guesses at once the right one must not pass after the wrong ones have spent the tries.
  await checkTries(room.db, loginTries(subject))
  await forgive(room.db, loginTries(subject))
  if (account.status === 'pending_verification') throw await stillPending(room, account, who)
  if (account.status === 'active' && account.mfaMethod !== 'none') {
    return challenge(room, account, { subject, purpose: 'login_mfa', channel: account.mfaMethod })
  }
  const opened = await room.db.begin((tx) => signIn(room, tx, { account, device }))
  return presentSession(room, opened)
}

export function loginTries(subject: Buffer): `login:${string}` {
  return `login:${subject.toString('hex')}`
}

/** Where login codes of an account go. */
export function mfaAddress(account: Account): Identifier | undefined {
  const { mfaMethod, email, loginPhone } = account
  if (mfaMethod === 'email' && email !== null) return { channel: 'email', value: email }
  if (mfaMethod === 'phone' && loginPhone !== null) return { channel: 'phone', value: loginPhone }
  return undefined
}

async function accountFor(room: Accounts, who: Identifier): Promise<Account | undefined> {
  const owner = await findOwner(room.db, who)
  if (owner) return owner
  const claimant = await findClaimant(room.db, who)
  return claimant?.status === 'active' ? undefined : claimant
}

/** The password was right, so this tells nobody anything; a new code goes out if one may. */
async function stillPending(room: Accounts, account: Account, who: Identifier): Promise<Failure> {
  const subject = subjectOf(room.keys.identifiers, who.value)
  const ask = { subject, purpose: PURPOSE[who.channel], channel: who.channel }
  await room.db.begin((tx) => sendCode(room, tx, { ask, account, to: who.value }))
  return new Failure('forbidden', 'This account is not verified yet. Enter the code we sent.')
}

/** Inside the cool-down a challenge that still stands is shown again, and nothing is sent. */
async function challenge(room: Accounts, account: Account, ask: Ask): Promise<ChallengeView> {
  const address = mfaAddress(account)
  const view = (id: string, expiresIn: number): ChallengeView => ({
    mfa_required: true,
    challenge_id: id,
    channel: ask.channel,
    masked: address ? masked(address) : 'authenticator',
    expires_in: expiresIn,
  })
  return room.db.begin(async (tx) => {
    const sent = await sendCode(room, tx, { ask, account, to: address?.value })
    if (sent) return view(sent.id, CODE_LIFE_S)
    const live = await findLiveCode(tx, ask.subject, ask.purpose)
    if (live?.accountId === account.id) return view(live.id, live.leftS)
    throw tooSoon(await coolDownLeft(tx, ask.subject, ask.purpose))
  })
}
