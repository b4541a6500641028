import { Failure } from '../../lib/failure.ts'
import type { Account } from '../account.ts'
import type { Accounts, CodeSender } from '../accounts.ts'
import { findClaimant, findOwner } from '../accounts-store.ts'
import { askerOf } from '../codes/asker.ts'
import type { Asker } from '../codes/asker.ts'
import { codeRequest, sendCode, VERIFY_PURPOSE } from '../codes/codes.ts'
import { ownRegistration } from '../codes/registrations.ts'
import { checkTries, clearTries, passwordTries, takeTry } from '../codes/throttle.ts'
import { readIdentifier, subjectOf } from '../identifiers.ts'
import type { Identifier } from '../identifiers.ts'
import { openChallenge } from './challenge.ts'
import type { ChallengeView } from './challenge.ts'
import { openSession, presentSession } from './sessions.ts'
import type { Device, SessionView } from './sessions.ts'

/** An unknown identifier takes the same steps and the same time as a wrong password. */
export async function login(
  accounts: Accounts,
  body: { identifier: string; password: string },
  device: Device,
): Promise<SessionView | ChallengeView> {
  const who = readIdentifier(body.identifier)
  const owner = who && (await findOwner(accounts.db, who))
  const asker = await askerOf(accounts, accounts.db, device, owner?.id)
  const subject = subjectOf(accounts.keys.identifiers, who?.value ?? body.identifier)
  const tries = passwordTries(subject, asker)
  await checkTries(accounts.db, tries)
  const account = owner ?? (who && (await registrationFor(accounts, who, asker)))
  const right = await accounts.passwords.verify(account?.passwordHash, body.password)
  if (!who || !account || !right) {
    await takeTry(accounts.db, tries)
    throw new Failure('invalid_credentials', 'The identifier or the password is incorrect.')
  }
  // Among parallel guesses, a right one must fail once the others have used up the tries.
  await checkTries(accounts.db, tries)
  await clearTries(accounts.db, tries)
  if (account.status === 'pending_verification') {
    throw await notVerified(accounts, account, { who, asker })
  }
  if (account.status === 'active' && account.mfaMethod !== 'none') {
    return accounts.db.begin((tx) =>
      openChallenge(accounts, tx, { account, who: who.value, device }),
    )
  }
  const opened = await accounts.db.begin((tx) => openSession(accounts, tx, { account, device }))
  return presentSession(accounts, opened)
}

/** What the asker registered itself comes first: somebody may have registered the same later. */
async function registrationFor(
  accounts: Pick<Accounts, 'db' | 'keys'>,
  who: Identifier,
  asker: Asker,
): Promise<Account | undefined> {
  const { db } = accounts
  const request = codeRequest(accounts, who, VERIFY_PURPOSE[who.channel])
  const own = await ownRegistration(db, request, asker)
  if (own) return own
  const claimant = await findClaimant(db, who)
  return claimant?.status === 'active' ? undefined : claimant
}

/** The password was right, so this gives nothing away. A new code is sent if the last is old. */
async function notVerified(
  accounts: CodeSender & Pick<Accounts, 'db'>,
  account: Account,
  { who, asker }: { who: Identifier; asker: Asker },
): Promise<Failure> {
  const request = codeRequest(accounts, who, VERIFY_PURPOSE[who.channel])
  const delivery = { request, asker, account, to: who.value }
  await accounts.db.begin((tx) => sendCode(accounts, tx, delivery))
  return new Failure('forbidden', 'This account is not verified yet. Enter the code we sent.')
}
