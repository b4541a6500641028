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
  accounts: Accounts,
  given: { identifier: string; password: string },
  device: Device,
): Promise<SessionView | ChallengeView> {
  const who = readIdentifier(given.identifier)
  const subject = subjectOf(accounts.keys.identifiers, who?.value ?? given.identifier)
  await checkTries(accounts.db, loginTries(subject))
  const account = who && (await accountFor(accounts, who))
  const right = await accounts.passwords.verify(account?.passwordHash, given.password)
  if (!who || !account || !right) {
    await takeTry(accounts.db, loginTries(subject))
    throw new Failure('invalid_credentials', 'The identifier or the password is wrong.')
  }
  // Of many guesses at once the right one must not pass after the wrong ones have spent the tries.
  await checkTries(accounts.db, loginTries(subject))
  await forgive(accounts.db, loginTries(subject))
  if (account.status === 'pending_verification') throw await stillPending(accounts, account, who)
  if (account.status === 'active' && account.mfaMethod !== 'none') {
    return challenge(accounts, account, {
      subject,
      purpose: 'login_mfa',
      channel: account.mfaMethod,
    })
  }
  const opened = await accounts.db.begin((tx) => signIn(accounts, tx, { account, device }))
  return presentSession(accounts, opened)
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

async function accountFor(accounts: Accounts, who: Identifier): Promise<Account | undefined> {
  const owner = await findOwner(accounts.db, who)
  if (owner) return owner
  const claimant = await findClaimant(accounts.db, who)
  return claimant?.status === 'active' ? undefined : claimant
}

/** The password was right, so this tells nobody anything; a new code goes out if one may. */
async function stillPending(
  accounts: Accounts,
  account: Account,
  who: Identifier,
): Promise<Failure> {
  const subject = subjectOf(accounts.keys.identifiers, who.value)
  const ask = { subject, purpose: PURPOSE[who.channel], channel: who.channel }
  await accounts.db.begin((tx) => sendCode(accounts, tx, { ask, account, to: who.value }))
  return new Failure('forbidden', 'This account is not verified yet. Enter the code we sent.')
}

/** Inside the cool-down a challenge that still stands is shown again, and nothing is sent. */
async function challenge(accounts: Accounts, account: Account, ask: Ask): Promise<ChallengeView> {
  const address = mfaAddress(account)
  const view = (id: string, expiresIn: number): ChallengeView => ({
    mfa_required: true,
    challenge_id: id,
    channel: ask.channel,
    masked: address ? masked(address) : 'authenticator',
    expires_in: expiresIn,
  })
  return accounts.db.begin(async (tx) => {
    const sent = await sendCode(accounts, tx, { ask, account, to: address?.value })
    if (sent) return view(sent.id, CODE_LIFE_S)
    const live = await findLiveCode(tx, ask.subject, ask.purpose)
    if (live?.accountId === account.id) return view(live.id, live.leftS)
    throw tooSoon(await coolDownLeft(tx, ask.subject, ask.purpose))
  })
}
