import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import type { Account } from '../account.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import { findAccount } from '../accounts-store.ts'
import { FRESH_S, markSecondFactor } from '../credentials/sessions-store.ts'
import type { Shown } from '../credentials/sessions-store.ts'
import { masked, type Identifier } from '../identifiers.ts'
import { sessionAsker } from './asker.ts'
import { codeExpired, codeRequest, codeWrong, sendCode, tryCode } from './codes.ts'
import { useCode } from './codes-store.ts'
import { mfaAddress, spendTotp } from './mfa.ts'
import type { PasskeyUse } from './passkey-challenges-store.ts'
import { checkPasskey } from './passkeys.ts'
import { countPasskeys, usePasskey } from './passkeys-store.ts'
import type { RelyingParty } from './relying-party.ts'
import { clearTries, secondFactorTries, takeTry } from './throttle.ts'
import { passkeyWrong, type Assertion } from './webauthn.ts'

/** Whose session it is. */
export type Caller = { accountId: string; sessionId: string }

/**
 * Whether that is enough for a change of a way in, or of a second factor. Where the account has a
 * passkey, a code that was sent is not: others may read it on its way.
 */
export async function passedFactor(
  tx: Tx,
  { id, mfaMethod }: Account,
  { secondFactor }: Pick<Shown, 'secondFactor'>,
): Promise<boolean> {
  if (mfaMethod === 'none' || secondFactor === 'device') return true
  return secondFactor === 'message' && (await countPasskeys(tx, id)) === 0
}

/** For the actions of operators: a code of the authenticator, whatever the session passed before. */
export async function stepUp(
  accounts: Pick<Accounts, 'clock' | 'db' | 'keys' | 'log'>,
  caller: Caller,
  code: string,
): Promise<FreshView> {
  const account = await findAccount(accounts.db, caller.accountId)
  if (account?.mfaMethod !== 'totp') {
    throw new Failure('forbidden', 'This account has no authenticator app.')
  }
  await giveSecondFactor(accounts, caller, code)
  return { fresh_for_s: FRESH_S }
}

/** The same by a passkey. It serves whatever asks for the second factor. */
export async function stepUpByPasskey(
  { db }: Pick<Accounts, 'db'>,
  caller: Caller,
  { party, assertion }: { party: RelyingParty; assertion: Assertion },
): Promise<FreshView> {
  const signed = await checkPasskey(db, assertion, { party, use: stepUpUse(caller) })
  await db.begin(async (tx) => {
    if (!(await usePasskey(tx, signed))) throw passkeyWrong()
    await markSecondFactor(tx, caller.sessionId, 'device')
  })
  return { fresh_for_s: FRESH_S }
}

export function stepUpUse({ accountId, sessionId }: Caller): PasskeyUse {
  return { use: 'step_up', boundTo: sessionId, accountId }
}

type FreshView = { fresh_for_s: number }

/** From now on the session has passed the second factor, for ten minutes. */
export async function giveSecondFactor(
  accounts: Pick<Accounts, 'clock' | 'db' | 'keys' | 'log'>,
  { accountId, sessionId }: Caller,
  code: string,
): Promise<void> {
  const account = await findAccount(accounts.db, accountId)
  // Without a second factor there is nothing to check.
  if (!account || account.mfaMethod === 'none') return
  const tries = secondFactorTries(sessionId)
  await takeTry(accounts.db, tries)
  const address = await codeAddress(accounts.db, account)
  if (!address) {
    await spendTotp(accounts, accountId, code)
    return accounts.db.begin(async (tx) => {
      await clearTries(tx, tries)
      await markSecondFactor(tx, sessionId, 'device')
    })
  }
  const request = codeRequest(accounts, address, 'change_mfa')
  const asker = sessionAsker(accounts, sessionId)
  const row = await tryCode(accounts, request, { code, asker })
  if (row.accountId !== accountId) throw codeWrong()
  await accounts.db.begin(async (tx) => {
    if (!(await useCode(tx, row))) throw codeExpired()
    await clearTries(tx, tries, row.counted)
    await markSecondFactor(tx, sessionId, 'message')
  })
}

/**
 * Sends the code, where the factor is one, and says what to send. During the cool-down the code that
 * was sent a moment ago is the one to use.
 */
export async function askForFactor(
  accounts: CodeSender & Pick<Accounts, 'db'>,
  account: Account,
  { sessionId }: Caller,
): Promise<Failure> {
  const address = await codeAddress(accounts.db, account)
  if (!address) return needed(await whatToGive(accounts.db, account))
  const request = codeRequest(accounts, address, 'change_mfa')
  const asker = sessionAsker(accounts, sessionId)
  const delivery = { request, asker, account, to: address.value }
  await accounts.db.begin((tx) => sendCode(accounts, tx, delivery))
  return needed(`Send mfa_code with the code that we sent to ${masked(address)}.`)
}

/** Whoever can read a passkey's owner's messages must not change what the passkey protects. */
async function codeAddress(db: Tx, account: Account): Promise<Identifier | undefined> {
  return (await countPasskeys(db, account.id)) > 0 ? undefined : mfaAddress(account)
}

async function whatToGive(db: Tx, { id, mfaMethod }: Account): Promise<string> {
  const passkeys = await countPasskeys(db, id)
  const begin = passkeys > 0 ? 'Use a passkey at POST /v1/auth/step-up/passkey, or send' : 'Send'
  const app = mfaMethod === 'totp' ? 'a code of your authenticator app, or ' : ''
  return `${begin} mfa_code with ${app}a recovery code.`
}

function needed(what: string): Failure {
  return new Failure('forbidden', `This change needs your second factor. ${what}`, {
    param: 'mfa_code',
  })
}
