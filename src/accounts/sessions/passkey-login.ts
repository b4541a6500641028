import type { Accounts } from '../accounts.ts'
import { lockAccount } from '../accounts-store.ts'
import { findLoginChallenge, useCode } from '../codes/codes-store.ts'
import type { PasskeyUse } from '../codes/passkey-challenges-store.ts'
import { askForPasskey, checkPasskey, type RequestOptions } from '../codes/passkeys.ts'
import { usePasskey } from '../codes/passkeys-store.ts'
import type { RelyingParty } from '../codes/relying-party.ts'
import { passkeyWrong, type Assertion } from '../codes/webauthn.ts'
import { Failure } from '../../lib/failure.ts'
import { standing } from './challenge.ts'
import { openSession, presentSession } from './sessions.ts'
import type { Device, SessionView } from './sessions.ts'

/** What a passkey is to sign, for whoever has passed the first factor of a login. */
export async function askAtLogin(
  { db }: Pick<Accounts, 'db'>,
  party: RelyingParty,
  challengeId: string,
): Promise<RequestOptions> {
  const { use } = await openLogin(db, challengeId)
  return askForPasskey(db, party, use)
}

/** The passkey ends the login's challenge, and opens the session. */
export async function loginWithPasskey(
  accounts: Pick<Accounts, 'clock' | 'db' | 'keys' | 'signer'>,
  answer: { party: RelyingParty; challengeId: string; assertion: Assertion },
  device: Device,
): Promise<SessionView> {
  const { db } = accounts
  const { party, challengeId, assertion } = answer
  const { row, use } = await openLogin(db, challengeId)
  const signed = await checkPasskey(db, assertion, { party, use })
  const opened = await db.begin(async (tx) => {
    const account = await lockAccount(tx, use.accountId)
    const as = account && standing(accounts, account, row.subject)
    if (!account || !as || !(await useCode(tx, row))) throw loginOver()
    if (!(await usePasskey(tx, signed))) throw passkeyWrong()
    const guest = as === 'guest'
    return openSession(accounts, tx, { account, device, secondFactor: 'device', guest })
  })
  return presentSession(accounts, opened)
}

async function openLogin(db: Accounts['db'], challengeId: string) {
  const row = await findLoginChallenge(db, challengeId)
  if (!row?.live || row.accountId === null) throw loginOver()
  const use: PasskeyUse = { use: 'log_in', boundTo: row.id, accountId: row.accountId }
  return { row, use }
}

/** The same whether it never was, is over, or belongs to nobody. */
function loginOver(): Failure {
  return new Failure('otp_expired', 'This login is over. Please begin again.', {
    param: 'challenge_id',
  })
}
