import type { Tx } from '../../db/db.ts'
import { invalidField } from '../../lib/failure.ts'
import { isUuid } from '../../lib/ids.ts'
import type { CodePurpose } from '../../notices/language.ts'
import { claims } from '../account.ts'
import type { Account } from '../account.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import { findAccount, findHolder, findOwner } from '../accounts-store.ts'
import { readChallenged, requireIdentifier, subjectOf } from '../identifiers.ts'
import type { Identifier } from '../identifiers.ts'
import { askerOf } from './asker.ts'
import type { Device } from './asker.ts'
import { checkChannel, codeRequest, requireSendCode } from './codes.ts'
import type { CodeDelivery, CodeRequest } from './codes.ts'
import { CODE_LIFE_S, COOL_DOWN_S, listCodes } from './codes-store.ts'
import type { CodeChannel, CodeState } from './codes-store.ts'
import { mfaAddress } from './mfa.ts'

export type SentView = { sent: true; expires_in: number; resend_after: number }

/**
 * The same answer for known and unknown identifiers; 429 during the cool-down, for both. It repeats
 * what the same asker has asked for before, and begins nothing but the reset of a password: nobody
 * makes another's registration go on, or takes its code for the own.
 */
export async function resendCode(
  accounts: CodeSender & Pick<Accounts, 'db'>,
  body: ResendRequest,
  device: Device,
): Promise<SentView> {
  const again = readResend(accounts, body)
  await accounts.db.begin(async (tx) => {
    const account = await accountOf(tx, again.who)
    const asker = await askerOf(accounts, tx, device, account?.id)
    const recipient = await recipientOf(tx, again, (code) => asker.marks.includes(code.asker))
    const mark = recipient?.mark ?? asker.key
    await requireSendCode(accounts, tx, {
      request: again.request,
      ...recipient,
      asker: { ...asker, key: mark },
      by: asker,
    })
  })
  return { sent: true, expires_in: CODE_LIFE_S, resend_after: COOL_DOWN_S }
}

type ResendRequest = {
  identifier: string
  channel: CodeChannel
  purpose: CodePurpose
  challengeId?: string | undefined
}

/** The same for an operator, who repeats what this account has asked for. */
export async function resendInside(
  accounts: CodeSender,
  tx: Tx,
  { accountId, ...body }: ResendRequest & { accountId: string },
): Promise<void> {
  const again = readResend(accounts, body)
  const recipient =
    (await recipientOf(tx, again, (code) => code.accountId === accountId)) ??
    (await registration(tx, again, accountId))
  const key = recipient?.mark ?? accountId
  await requireSendCode(accounts, tx, {
    request: again.request,
    ...recipient,
    asker: { key, known: true, marks: [key] },
    by: { key: accountId, known: true },
  })
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

/** `mark`: of whoever asked first, so that the new code takes the place of the old one. */
type Recipient = Pick<CodeDelivery, 'to' | 'id' | 'lifeS'> & { account: Account; mark?: string }
type Wanted = {
  request: CodeRequest
  /** An identity that was signed in with names the account itself. */
  who: Identifier | { accountId: string }
  challengeId: string | undefined
}

/** Undefined when nobody is waiting for such a code: nothing is sent, and the answer is the same. */
async function recipientOf(
  tx: Tx,
  wanted: Wanted,
  isOwn: (code: CodeState) => boolean,
): Promise<Recipient | undefined> {
  const { request, who } = wanted
  if (request.purpose === 'login_mfa' || 'accountId' in who) return challengedAccount(tx, wanted)
  if (request.purpose === 'reset_password') {
    const account = await findOwner(tx, who)
    return account && account.status !== 'suspended' ? { account, to: who.value } : undefined
  }
  for (const code of (await listCodes(tx, request)).filter(isOwn)) {
    const account = await waitingAccount(tx, who, code)
    if (account) return account
  }
  return undefined
}

/**
 * A registration may be repeated after its code has expired. The verification of an active account
 * may not, nor does it get more time by this: whoever holds the number could keep it open for ever.
 */
async function waitingAccount(
  tx: Tx,
  who: Identifier,
  { accountId, asker: mark, live, leftS }: CodeState,
): Promise<Recipient | undefined> {
  const account = accountId === null ? undefined : await findAccount(tx, accountId)
  if (!account || account.status === 'suspended' || !claims(account, who)) return undefined
  if (account.status === 'pending_verification') return { account, to: who.value, mark }
  return live ? { account, to: who.value, mark, lifeS: leftS } : undefined
}

/** Also one whose codes are long gone. */
async function registration(
  tx: Tx,
  { request, who }: Wanted,
  accountId: string,
): Promise<Recipient | undefined> {
  const account = await findAccount(tx, accountId)
  if ('accountId' in who) return undefined
  const waits = account?.status === 'pending_verification' && claims(account, who)
  return waits && request.purpose.startsWith('verify') ? { account, to: who.value } : undefined
}

/**
 * A login's code is sent again under the same challenge. Whoever does not know the challenge is
 * sent nothing.
 */
async function challengedAccount(
  tx: Tx,
  { request, who, challengeId }: Wanted,
): Promise<Recipient | undefined> {
  const account = await accountOf(tx, who)
  const address = account && mfaAddress(account)
  if (!account || address?.channel !== request.channel) return undefined
  const codes = await listCodes(tx, request)
  const open = codes.find(
    ({ live, id, accountId }) => live && id === challengeId && accountId === account.id,
  )
  return open && { account, to: address.value, id: open.id, mark: open.asker }
}

async function accountOf(tx: Tx, who: Wanted['who']): Promise<Account | undefined> {
  return 'accountId' in who ? findAccount(tx, who.accountId) : findHolder(tx, who)
}
