import type { Tx } from '../../db/db.ts'
import { invalidField } from '../../lib/failure.ts'
import { isUuid } from '../../lib/ids.ts'
import type { CodePurpose } from '../../notices/language.ts'
import { claims } from '../account.ts'
import type { Account } from '../account.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import { findAccount, findHolder, findOwner, findRegistration } from '../accounts-store.ts'
import { readChallenged, requireIdentifier, subjectOf } from '../identifiers.ts'
import type { Identifier } from '../identifiers.ts'
import { checkChannel, codeRequest, requireSendCode } from './codes.ts'
import type { CodeDelivery, CodeRequest } from './codes.ts'
import { CODE_LIFE_S, COOL_DOWN_S, listCodes } from './codes-store.ts'
import type { CodeChannel } from './codes-store.ts'
import { mfaAddress } from './mfa.ts'

export type SentView = { sent: true; expires_in: number; resend_after: number }

/**
 * The same answer for known and unknown identifiers; 429 during the cool-down, for both. It repeats
 * what an account has asked for and begins nothing, but for registrations: an active account is
 * verified only if it asks for it itself, with its credential.
 */
export async function resendCode(
  accounts: CodeSender & Pick<Accounts, 'db'>,
  body: ResendRequest,
  from?: string,
): Promise<SentView> {
  const again = readResend(accounts, body)
  await accounts.db.begin((tx) => sendAgain(accounts, tx, again, from))
  return { sent: true, expires_in: CODE_LIFE_S, resend_after: COOL_DOWN_S }
}

type ResendRequest = {
  identifier: string
  channel: CodeChannel
  purpose: CodePurpose
  challengeId?: string | undefined
}

/** The same for an operator, whose action and its audit event are one transaction. */
export async function resendInside(
  accounts: CodeSender,
  tx: Tx,
  body: ResendRequest,
): Promise<void> {
  await sendAgain(accounts, tx, readResend(accounts, body))
}

function readResend(accounts: Pick<Accounts, 'keys'>, body: ResendRequest): Wanted {
  checkChannel(body)
  const { purpose, channel, challengeId } = body
  if (channel === 'totp') {
    throw invalidField('channel', 'must not be totp: an authenticator app makes its own codes')
  }
  if (purpose === 'login_mfa' && isUuid(body.identifier)) {
    const accountId = readChallenged(body.identifier)!
    const subject = subjectOf(accounts.keys.identifiers, accountId)
    return { request: { subject, purpose, channel }, who: { accountId }, challengeId }
  }
  const who = requireIdentifier(body.identifier)
  if (purpose !== 'login_mfa' && channel !== who.channel) {
    throw invalidField('channel', `must be ${who.channel} for this identifier`)
  }
  return { request: codeRequest(accounts, who, purpose, channel), who, challengeId }
}

async function sendAgain(
  accounts: CodeSender,
  tx: Tx,
  wanted: Wanted,
  from?: string,
): Promise<void> {
  const recipient = await recipientOf(tx, wanted)
  await requireSendCode(accounts, tx, { request: wanted.request, from, ...recipient })
}

type Recipient = Pick<CodeDelivery, 'to' | 'id' | 'lifeS'> & { account: Account }
type Wanted = {
  request: CodeRequest
  /** An identity that was signed in with names the account itself. */
  who: Identifier | { accountId: string }
  challengeId: string | undefined
}

/** Undefined when nobody is waiting for such a code: nothing is sent, and the answer is the same. */
async function recipientOf(tx: Tx, wanted: Wanted): Promise<Recipient | undefined> {
  const { request, who } = wanted
  if (request.purpose === 'login_mfa' || 'accountId' in who) return challengedAccount(tx, wanted)
  if (request.purpose === 'reset_password') {
    const account = await findOwner(tx, who)
    return account && account.status !== 'suspended' ? { account, to: who.value } : undefined
  }
  return (await waitingAccount(tx, { request, who })) ?? (await registration(tx, who))
}

/**
 * The account whose code is the newest that can still be answered. An active one does not get more
 * time by this: whoever holds the number could otherwise keep its verification open for ever.
 */
async function waitingAccount(
  tx: Tx,
  { request, who }: { request: CodeRequest; who: Identifier },
): Promise<Recipient | undefined> {
  for (const { live, accountId, leftS } of await listCodes(tx, request)) {
    const account = live && accountId !== null ? await findAccount(tx, accountId) : undefined
    if (!account || account.status === 'suspended' || !claims(account, who)) continue
    const lifeS = account.status === 'active' ? leftS : undefined
    return { account, to: who.value, lifeS }
  }
  return undefined
}

async function registration(tx: Tx, who: Identifier): Promise<Recipient | undefined> {
  const account = await findRegistration(tx, who)
  return account && { account, to: who.value }
}

/**
 * A login's code is sent again under the same challenge. Whoever does not know the challenge is
 * sent nothing.
 */
async function challengedAccount(
  tx: Tx,
  { request, who, challengeId }: Wanted,
): Promise<Recipient | undefined> {
  const account =
    'accountId' in who ? await findAccount(tx, who.accountId) : await findHolder(tx, who)
  const address = account && mfaAddress(account)
  if (!account || address?.channel !== request.channel) return undefined
  const codes = await listCodes(tx, request)
  const open = codes.find(
    ({ live, id, accountId }) => live && id === challengeId && accountId === account.id,
  )
  return open && { account, to: address.value, id: open.id }
}
