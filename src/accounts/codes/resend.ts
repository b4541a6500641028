import type { Tx } from '../../db/db.ts'
import { invalidField } from '../../lib/failure.ts'
import type { CodePurpose } from '../../notices/language.ts'
import type { Account } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { findAccount, findClaimant, findOwner } from '../accounts-store.ts'
import { requireIdentifier } from '../identifiers.ts'
import type { Identifier } from '../identifiers.ts'
import { checkChannel, codeRequest, requireSendCode } from './codes.ts'
import type { CodeRequest } from './codes.ts'
import { CODE_LIFE_S, COOL_DOWN_S, findCode, findLiveCode } from './codes-store.ts'
import type { CodeChannel } from './codes-store.ts'
import { mfaAddress } from './mfa.ts'

export type SentView = { sent: true; expires_in: number; resend_after: number }

/** The same answer for known and unknown identifiers; 429 during the cool-down, for both. */
export async function resendCode(
  accounts: Accounts,
  body: {
    identifier: string
    channel: CodeChannel
    purpose: CodePurpose
    challengeId?: string | undefined
  },
): Promise<SentView> {
  checkChannel(body)
  const who = requireIdentifier(body.identifier)
  const { purpose, channel, challengeId } = body
  if (channel === 'totp') {
    throw invalidField('channel', 'must not be totp: an authenticator app makes its own codes')
  }
  if (purpose !== 'login_mfa' && channel !== who.channel) {
    throw invalidField('channel', `must be ${who.channel} for this identifier`)
  }
  const request = codeRequest(accounts, who, purpose, channel)
  await accounts.db.begin(async (tx) => {
    const recipient =
      purpose === 'login_mfa'
        ? await challengedAccount(tx, { request, who, challengeId })
        : await recipientOf(tx, request, who)
    if (recipient === 'other challenge') return
    await requireSendCode(accounts, tx, { request, ...recipient })
  })
  return { sent: true, expires_in: CODE_LIFE_S, resend_after: COOL_DOWN_S }
}

type Recipient = { account: Account; to: string; id?: string }

/** Owners reset passwords, claimants verify; nobody else is written to. */
async function recipientOf(
  tx: Tx,
  request: CodeRequest,
  who: Identifier,
): Promise<Recipient | undefined> {
  const account =
    request.purpose === 'reset_password'
      ? await findOwner(tx, who)
      : await unverifiedAccount(tx, request, who)
  return account && account.status !== 'suspended' ? { account, to: who.value } : undefined
}

/** The account that the last code was for, if it still claims the identifier; else the newest. */
async function unverifiedAccount(
  tx: Tx,
  request: CodeRequest,
  who: Identifier,
): Promise<Account | undefined> {
  const owner = await findOwner(tx, who)
  if (owner) return owner.phoneNumber === who.value && !owner.phoneVerified ? owner : undefined
  const earlier = await findCode(tx, request.subject, request.purpose)
  const account = earlier?.accountId ? await findAccount(tx, earlier.accountId) : undefined
  const claims = account && (account.email === who.value || account.phoneNumber === who.value)
  return claims ? account : findClaimant(tx, who)
}

/**
 * A login's code is sent again under the same challenge. Whoever does not know the challenge must
 * not be able to replace it: then nothing is sent, and the answer is the same.
 */
async function challengedAccount(
  tx: Tx,
  login: { request: CodeRequest; who: Identifier; challengeId: string | undefined },
): Promise<Recipient | 'other challenge' | undefined> {
  const { request, who, challengeId } = login
  const account = await findOwner(tx, who)
  if (!account) return undefined
  const live = await findLiveCode(tx, request.subject, request.purpose)
  const address = mfaAddress(account)
  const matches = live?.id === challengeId && live?.accountId === account.id
  if (!matches || address?.channel !== request.channel) return 'other challenge'
  return { account, to: address.value, id: live.id }
}
