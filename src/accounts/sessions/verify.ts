import type { Tx } from '../../db/db.ts'
import type { Account } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { findOwner, lockAccount, lockIdentifier } from '../accounts-store.ts'
import { checkChannel, codeExpired, codeRequest, codeWrong, tryCode } from '../codes/codes.ts'
import { useCode } from '../codes/codes-store.ts'
import type { CodeChannel, CodeRow } from '../codes/codes-store.ts'
import { spendTotp } from '../codes/mfa.ts'
import { clearTries, codeTries } from '../codes/throttle.ts'
import { readIdentifier } from '../identifiers.ts'
import type { Identifier } from '../identifiers.ts'
import { activate, proveIdentifier } from './activation.ts'
import { openSession, presentSession } from './sessions.ts'
import type { Device, SessionView } from './sessions.ts'

export type CodeAnswer = {
  identifier: string
  channel: CodeChannel
  purpose: 'verify_email' | 'verify_phone' | 'login_mfa'
  code: string
  challengeId?: string | undefined
}

/** A right code, once, for its purpose and channel, opens a session. */
export async function verifyCode(
  accounts: Accounts,
  answer: CodeAnswer,
  device: Device,
): Promise<SessionView> {
  checkChannel(answer)
  const who = readIdentifier(answer.identifier)
  if (!who) throw codeWrong()
  const { purpose, channel } = answer
  if (purpose !== 'login_mfa' && who.channel !== channel) throw codeWrong()
  const request = codeRequest(accounts, who, purpose, channel)
  const row = await tryCode(accounts, request, answer)
  if (channel === 'totp') await spendTotp(accounts, row.accountId, answer.code)
  const opened = await accounts.db.begin(async (tx) => {
    const account =
      purpose === 'login_mfa'
        ? await finishLogin(tx, row, who)
        : await finishVerification(accounts, tx, { row, who })
    await clearTries(tx, codeTries(request.subject))
    return openSession(accounts, tx, { account, device })
  })
  return presentSession(accounts, opened)
}

type TriedCode = CodeRow & { accountId: string }

async function finishLogin(tx: Tx, row: TriedCode, who: Identifier): Promise<Account> {
  const account = await findOwner(tx, who)
  if (account?.id !== row.accountId || !(await useCode(tx, row.id))) throw codeExpired()
  return account
}

async function finishVerification(
  accounts: Accounts,
  tx: Tx,
  { row, who }: { row: TriedCode; who: Identifier },
): Promise<Account> {
  await lockIdentifier(tx, who.value)
  const account = await lockAccount(tx, row.accountId)
  if (!account || !(await useCode(tx, row.id))) throw codeExpired()
  const owner = await findOwner(tx, who)
  // Someone else has verified it in the meantime: this code has nothing left to prove.
  if (owner && owner.id !== account.id) throw codeExpired()
  await proveIdentifier(tx, account.id, who)
  return activate(accounts, tx, { accountId: account.id, proofs: [who.value] })
}
