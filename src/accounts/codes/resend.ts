import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import type { Account } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { findAccount, findClaimant, findOwner } from '../accounts-store.ts'
import { sendCode } from './codes.ts'
import type { Ask } from './codes.ts'
import { CODE_LIFE_S, COOL_DOWN_S, coolDownLeft, findCode, findLiveCode } from './codes-store.ts'
import type { CodeChannel, Purpose } from './codes-store.ts'
import { readIdentifier, subjectOf } from '../identifiers.ts'
import type { Identifier } from '../identifiers.ts'
import { mfaAddress } from '../sessions/login.ts'
import { tooSoon } from '../sessions/register.ts'
import { checkPair } from '../sessions/verify.ts'

export type SentView = { sent: true; expires_in: number; resend_after: number }

/** The same answer for known and unknown identifiers; 429 inside the cool-down, for both. */
export async function resendCode(
  accounts: Accounts,
  wish: {
    identifier: string
    channel: CodeChannel
    purpose: Purpose
    challengeId?: string | undefined
  },
): Promise<SentView> {
  checkPair(wish)
  const who = readable(wish.identifier)
  if (wish.channel === 'totp') {
    throw new Failure('invalid', 'channel totp sends nothing.', { param: 'channel' })
  }
  const { purpose, channel } = wish
  if (purpose !== 'login_mfa' && channel !== who.channel) {
    throw new Failure('invalid', 'channel does not go with identifier.', { param: 'channel' })
  }
  const ask = { subject: subjectOf(accounts.keys.identifiers, who.value), purpose, channel }
  await accounts.db.begin(async (tx) => {
    const found =
      purpose === 'login_mfa'
        ? await challenged(tx, { ask, who, challengeId: wish.challengeId })
        : await addressee(tx, ask, who)
    if (found === 'elsewhere') return
    const sent = await sendCode(accounts, tx, { ask, ...found })
    if (!sent) throw tooSoon(await coolDownLeft(tx, ask.subject, purpose))
  })
  return { sent: true, expires_in: CODE_LIFE_S, resend_after: COOL_DOWN_S }
}

/** A shape that is neither an email address nor a phone number can be told without telling more. */
export function readable(identifier: string): Identifier {
  const who = readIdentifier(identifier)
  if (who) return who
  throw new Failure('invalid', 'identifier must be an email address or a phone number.', {
    param: 'identifier',
  })
}

type Addressee = { account: Account; to: string; id?: string }

/** Owners reset, claimants verify; nobody else is written to. */
async function addressee(tx: Tx, ask: Ask, who: Identifier): Promise<Addressee | undefined> {
  const account =
    ask.purpose === 'reset_password' ? await findOwner(tx, who) : await verifier(tx, ask, who)
  return account && account.status !== 'suspended' ? { account, to: who.value } : undefined
}

async function verifier(tx: Tx, ask: Ask, who: Identifier): Promise<Account | undefined> {
  const owner = await findOwner(tx, who)
  if (owner) return owner.phoneNumber === who.value && !owner.phoneVerified ? owner : undefined
  const earlier = await findCode(tx, ask.subject, ask.purpose)
  const asked = earlier?.accountId ? await findAccount(tx, earlier.accountId) : undefined
  const claims = asked && (asked.email === who.value || asked.phoneNumber === who.value)
  return claims ? asked : findClaimant(tx, who)
}

/**
 * A login's code goes out again under the same challenge. Whoever does not know the challenge
 * must not be able to replace it: then nothing happens, and the answer is the same.
 */
async function challenged(
  tx: Tx,
  { ask, who, challengeId }: { ask: Ask; who: Identifier; challengeId: string | undefined },
): Promise<Addressee | 'elsewhere' | undefined> {
  const account = await findOwner(tx, who)
  if (!account) return undefined
  const live = await findLiveCode(tx, ask.subject, ask.purpose)
  const address = mfaAddress(account)
  const fits = live?.id === challengeId && live?.accountId === account.id
  if (!fits || address?.channel !== ask.channel) return 'elsewhere'
  return { account, to: address.value, id: live.id }
}
