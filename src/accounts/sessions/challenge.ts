import type { Tx } from '../../db/db.ts'
import type { Account } from '../account.ts'
import type { CodeSender } from '../accounts.ts'
import { askerOf } from '../codes/asker.ts'
import { coolingDown, sendCode } from '../codes/codes.ts'
import type { CodeRequest } from '../codes/codes.ts'
import { CODE_LIFE_S, isOpen, listCodes } from '../codes/codes-store.ts'
import type { CodeChannel } from '../codes/codes-store.ts'
import { mfaAddress } from '../codes/mfa.ts'
import { masked, subjectOf } from '../identifiers.ts'
import type { Device } from './sessions.ts'

export type ChallengeView = {
  mfa_required: true
  challenge_id: string
  channel: CodeChannel
  masked: string
  expires_in: number
}

/** `who`: what was typed at the login, or the account's id where an identity opened it. */
export function challengeRequest(
  accounts: Pick<CodeSender, 'keys'>,
  who: string,
  channel: CodeChannel,
): CodeRequest {
  return { subject: subjectOf(accounts.keys.identifiers, who), purpose: 'login_mfa', channel }
}

/**
 * The answer to a right first factor where the account has a second one. During the cool-down an
 * open challenge is returned again and nothing is sent.
 */
export async function openChallenge(
  accounts: CodeSender,
  tx: Tx,
  { account, who, device }: { account: Account; who: string; device: Device },
): Promise<ChallengeView> {
  if (account.mfaMethod === 'none') throw new Error('This account has no second factor.')
  const request = challengeRequest(accounts, who, account.mfaMethod)
  const address = mfaAddress(account)
  const view = (id: string, expiresIn: number): ChallengeView => ({
    mfa_required: true,
    challenge_id: id,
    channel: request.channel,
    masked: address ? masked(address) : 'authenticator',
    expires_in: expiresIn,
  })
  const asker = await askerOf(accounts, tx, device, account.id)
  const sent = await sendCode(accounts, tx, { request, asker, account, to: address?.value })
  if (sent.id !== undefined) return view(sent.id, CODE_LIFE_S)
  const codes = await listCodes(tx, request)
  const open = codes.find(
    (code) => isOpen(code) && code.accountId === account.id && code.asker === asker.key,
  )
  if (!open) throw coolingDown(sent.waitS)
  return view(open.id, open.leftS)
}
