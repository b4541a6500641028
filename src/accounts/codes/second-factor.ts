import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import type { Account } from '../account.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import { findAccount } from '../accounts-store.ts'
import { FRESH_S, markSecondFactor, passedSecondFactor } from '../credentials/sessions-store.ts'
import { masked } from '../identifiers.ts'
import { sessionAsker } from './asker.ts'
import { codeExpired, codeRequest, codeWrong, sendCode, tryCode } from './codes.ts'
import { useCode } from './codes-store.ts'
import { mfaAddress, spendTotp } from './mfa.ts'
import { clearTries, secondFactorTries, takeTry } from './throttle.ts'

/** Whose session it is. */
export type Caller = { accountId: string; sessionId: string }

/**
 * A stolen session must not be able to take the second factor away: what changes it, or where its
 * codes go, is wrapped in this. The session must have passed the second factor within the last ten
 * minutes, or `code` must be right. Otherwise a code is sent, where the factor is one, and the
 * answer says what to send. `change` is given the locked account and calls `required` before it
 * changes anything.
 */
export async function withSecondFactor<T>(
  accounts: CodeSender & Pick<Accounts, 'db'>,
  caller: Caller,
  { code, change }: { code: string | undefined; change: Change<T> },
): Promise<T> {
  if (code !== undefined) await giveSecondFactor(accounts, caller, code)
  try {
    return await accounts.db.begin((tx) =>
      change(tx, async (locked) => {
        if (locked.mfaMethod === 'none') return
        if (!(await passedSecondFactor(tx, caller.sessionId))) throw new FactorMissing(locked)
      }),
    )
  } catch (error) {
    if (error instanceof FactorMissing) throw await askForFactor(accounts, error.account, caller)
    throw error
  }
}

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

type Change<T> = (tx: Tx, required: (locked: Account) => Promise<void>) => Promise<T>

/** Thrown to undo the transaction; the code that is then sent must outlive it. */
class FactorMissing extends Error {
  readonly account: Account
  constructor(account: Account) {
    super('The second factor is missing.')
    this.account = account
  }
}

async function giveSecondFactor(
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

/** During the cool-down the code that was sent a moment ago is the one to use. */
async function askForFactor(
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
