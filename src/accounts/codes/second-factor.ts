import { Failure } from '../../lib/failure.ts'
import type { Account } from '../account.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import { findAccount } from '../accounts-store.ts'
import { FRESH_S, markSecondFactor } from '../credentials/sessions-store.ts'
import { masked } from '../identifiers.ts'
import { sessionAsker } from './asker.ts'
import { codeExpired, codeRequest, codeWrong, sendCode, tryCode } from './codes.ts'
import { useCode } from './codes-store.ts'
import { mfaAddress, spendTotp } from './mfa.ts'
import { clearTries, secondFactorTries, takeTry } from './throttle.ts'

/** Whose session it is. */
export type Caller = { accountId: string; sessionId: string }

/** For the actions of operators: a code of the authenticator, whatever the session passed before. */
export async function stepUp(
  accounts: Pick<Accounts, 'clock' | 'db' | 'keys' | 'log'>,
  caller: Caller,
  code: string,
): Promise<{ fresh_for_s: number }> {
  const account = await findAccount(accounts.db, caller.accountId)
  if (account?.mfaMethod !== 'totp') {
    throw new Failure('forbidden', 'This account has no authenticator app.')
  }
  await giveSecondFactor(accounts, caller, code)
  return { fresh_for_s: FRESH_S }
}

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
  const address = mfaAddress(account)
  if (!address) {
    await spendTotp(accounts, accountId, code)
    return accounts.db.begin(async (tx) => {
      await clearTries(tx, tries)
      await markSecondFactor(tx, sessionId)
    })
  }
  const request = codeRequest(accounts, address, 'change_mfa')
  const asker = sessionAsker(accounts, sessionId)
  const row = await tryCode(accounts, request, { code, asker })
  if (row.accountId !== accountId) throw codeWrong()
  await accounts.db.begin(async (tx) => {
    if (!(await useCode(tx, row))) throw codeExpired()
    await clearTries(tx, tries, row.counted)
    await markSecondFactor(tx, sessionId)
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
  const address = mfaAddress(account)
  if (!address) {
    return needed('Send mfa_code with a code of your authenticator app, or a recovery code.')
  }
  const request = codeRequest(accounts, address, 'change_mfa')
  const asker = sessionAsker(accounts, sessionId)
  const delivery = { request, asker, account, to: address.value }
  await accounts.db.begin((tx) => sendCode(accounts, tx, delivery))
  return needed(`Send mfa_code with the code that we sent to ${masked(address)}.`)
}

function needed(what: string): Failure {
  return new Failure('forbidden', `This change needs your second factor. ${what}`, {
    param: 'mfa_code',
  })
}
