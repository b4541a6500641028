import { Failure, invalidField } from '../../lib/failure.ts'
import type { Account } from '../account.ts'
import { tellOfChange } from '../codes/changes.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import { findOwner, lockAccount, setPassword } from '../accounts-store.ts'
import { askerOf } from '../codes/asker.ts'
import type { Asker, Device } from '../codes/asker.ts'
import { codeExpired, codeRequest, codeWrong, sendCode, tryCode } from '../codes/codes.ts'
import { CODE_LIFE_S, COOL_DOWN_S, useCode } from '../codes/codes-store.ts'
import type { SentView } from '../codes/resend.ts'
import { clearTries, passwordTries } from '../codes/throttle.ts'
import type { Tries } from '../codes/throttle.ts'
import { revokeAllKeys } from '../credentials/api-keys-store.ts'
import { checkNewPassword } from '../credentials/passwords.ts'
import { endAllSessions } from '../credentials/sessions-store.ts'
import { readIdentifier, requireIdentifier, subjectOf } from '../identifiers.ts'
import type { Identifier } from '../identifiers.ts'
import { spendRecoveryCode } from '../codes/recovery-codes.ts'
import type { Tx } from '../../db/db.ts'
import { ownerProof } from '../owner-proof.ts'

/** Always the same answer. During the cool-down nothing is sent, and `resend_after` says so. */
export async function forgotPassword(
  accounts: CodeSender & Pick<Accounts, 'db'>,
  identifier: string,
  device: Device,
): Promise<SentView> {
  const who = requireIdentifier(identifier)
  const request = codeRequest(accounts, who, 'reset_password')
  const resendAfter = await accounts.db.begin(async (tx) => {
    const owner = await findOwner(tx, who)
    const account = owner?.status === 'active' ? owner : undefined
    const asker = await askerOf(accounts, tx, device, account?.id)
    const sent = await sendCode(accounts, tx, { request, asker, account, to: who.value })
    return sent.waitS ?? COOL_DOWN_S
  })
  return { sent: true, expires_in: CODE_LIFE_S, resend_after: resendAfter }
}

type Reset = {
  identifier: string
  code: string
  newPassword: string
  recoveryCode: string | undefined
}

/**
 * Ends every session, and what the asker has to wait after wrong passwords. It signs nobody in. Where
 * it was not certain until now that the account is its owner's, its keys end too.
 */
export async function resetPassword(
  accounts: Pick<Accounts, 'apiKeys' | 'db' | 'keys' | 'pagesUrl' | 'passwords' | 'sessions'>,
  body: Reset,
  device: Device,
): Promise<void> {
  const who = readIdentifier(body.identifier)
  checkNewPassword(body.newPassword, who ? [who.value] : [], 'new_password')
  if (!who) throw codeWrong()
  const request = codeRequest(accounts, who, 'reset_password')
  const asker = await askerOf(accounts, accounts.db, device)
  const row = await tryCode(accounts, request, { code: body.code, asker })
  const passwordHash = await accounts.passwords.hash(body.newPassword)
  const account = await accounts.db.begin(async (tx) => {
    const account = await lockAccount(tx, row.accountId)
    // The address may have been replaced since the code went there.
    const isOwner = account !== undefined && (await findOwner(tx, who))?.id === account.id
    if (!isOwner || !(await useCode(tx, row))) throw codeExpired()
    await requireOtherDevice(tx, { account, who, recoveryCode: body.recoveryCode })
    const accountId = account.id
    await tellOfChange(accounts, tx, { accountId, type: 'security.password_changed', data: {} })
    await setPassword(tx, ownerProof(accountId), passwordHash)
    await endAllSessions(tx, accountId, 'password')
    if (account.contested) await revokeAllKeys(tx, accountId)
    await clearTries(tx, row.counted, ...passwordTriesOf(accounts, account, asker))
    return account
  })
  accounts.sessions.forget(account.id)
  accounts.apiKeys.forget(account.id)
}

/** Where codes by SMS are the second factor, a reset by SMS would be one SIM for both factors. */
async function requireOtherDevice(
  tx: Tx,
  {
    account,
    who,
    recoveryCode,
  }: { account: Account; who: Identifier } & Pick<Reset, 'recoveryCode'>,
): Promise<void> {
  if (account.mfaMethod !== 'phone' || who.channel !== 'phone') return
  const param = 'recovery_code'
  if (recoveryCode === undefined) {
    throw new Failure(
      'forbidden',
      'Codes by SMS are your second factor: reset the password by email, or send recovery_code too.',
      { param },
    )
  }
  if (!(await spendRecoveryCode(tx, account.id, recoveryCode))) {
    throw invalidField(param, 'is incorrect')
  }
}

/** Of every identifier the account signs in with, not only the one the code went to. */
function passwordTriesOf(
  { keys }: Pick<Accounts, 'keys'>,
  { email, loginPhone }: Account,
  { marks }: Asker,
): Tries[] {
  const identifiers = [email, loginPhone].filter((value) => value !== null)
  const subjects = identifiers.map((value) => subjectOf(keys.identifiers, value))
  return subjects.flatMap((subject) =>
    marks.map((key) => passwordTries(subject, { key, known: true })),
  )
}
