import type { Tx } from '../../db/db.ts'
import type { Account, MfaMethod } from '../account.ts'
import type { CodeSender } from '../accounts.ts'
import { askerOf } from '../codes/asker.ts'
import { coolingDown, sendCode } from '../codes/codes.ts'
import type { CodeRequest } from '../codes/codes.ts'
import { CODE_LIFE_S, isOpen, listCodes } from '../codes/codes-store.ts'
import type { CodeChannel } from '../codes/codes-store.ts'
import { mfaAddress } from '../codes/mfa.ts'
import { countPasskeys } from '../codes/passkeys-store.ts'
import { masked, subjectOf } from '../identifiers.ts'
import type { Device } from './sessions.ts'

export type ChallengeView = {
  mfa_required: true
  challenge_id: string
  channel: CodeChannel
  /** What is asked for: a passkey where there is one. */
  mfa_method: FactorMethod
  /** What may be given in its place. */
  other_methods: FactorMethod[]
  masked: string
  expires_in: number
}

type FactorMethod = Exclude<MfaMethod, 'none'>

/** `who`: what was typed at the login, or the account's id where an identity opened it. */
export function challengeRequest(
  accounts: Pick<CodeSender, 'keys'>,
  who: string,
  channel: CodeChannel,
): CodeRequest {
  return { subject: subjectOf(accounts.keys.identifiers, who), purpose: 'login_mfa', channel }
}

/**
 * As whom a challenge of this subject signs in: a guest by a number that the owner has not confirmed.
 * Undefined where the account has given the address up since.
 */
export function standing(
  { keys }: Pick<CodeSender, 'keys'>,
  account: Account,
  subject: Uint8Array,
): 'owner' | 'guest' | undefined {
  const { id, email, emailVerified, loginPhone, phoneNumber, phoneVerified } = account
  const isOf = (who: string | null) =>
    who !== null && subjectOf(keys.identifiers, who).equals(subject)
  if (isOf(id) || isOf(loginPhone) || (emailVerified && isOf(email))) return 'owner'
  return phoneVerified && isOf(phoneNumber) ? 'guest' : undefined
}

/**
 * The answer to a right first factor where the account has a second one. During the cool-down an
 * open challenge is returned again and nothing is sent; nor is anything sent where a passkey is asked
 * for, until a code is requested. `channel` is what otp/verify takes: beside a passkey, totp also
 * stands for a recovery code.
 */
export async function openChallenge(
  accounts: CodeSender,
  tx: Tx,
  { account, who, device }: { account: Account; who: string; device: Device },
): Promise<ChallengeView> {
  if (account.mfaMethod === 'none') throw new Error('This account has no second factor.')
  const { mfaMethod } = account
  const channel = mfaMethod === 'passkey' ? 'totp' : mfaMethod
  const passkey = (await countPasskeys(tx, account.id)) > 0
  const request = challengeRequest(accounts, who, passkey ? 'totp' : channel)
  const address = mfaAddress(account)
  const view = (id: string, expiresIn: number): ChallengeView => ({
    mfa_required: true,
    challenge_id: id,
    channel,
    mfa_method: passkey ? 'passkey' : channel,
    other_methods: passkey && mfaMethod !== 'passkey' ? [channel] : [],
    masked: address ? masked(address) : mfaMethod === 'passkey' ? 'passkey' : 'authenticator',
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
