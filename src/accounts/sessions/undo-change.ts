import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import { sha256 } from '../../lib/secrets.ts'
import { notify } from '../../notices/notices.ts'
import type { Accounts } from '../accounts.ts'
import { findHolder, lockAccount, lockIdentifier } from '../accounts-store.ts'
import { findChange, restoreSignIn, type SignInChange } from '../codes/changes-store.ts'
import { voidCodes } from '../codes/codes-store.ts'
import { revokeKeysSince } from '../credentials/api-keys-store.ts'
import { endAllSessions } from '../credentials/sessions-store.ts'
import { readIdentifier } from '../identifiers.ts'
import { ownerProof } from '../owner-proof.ts'

/**
 * The link that the owner was sent with word of a change: one signs in as before it, and with a new
 * password. Every session ends, and every API key made since. It needs no session: its owner may
 * have none left.
 */
export async function undoChange(
  accounts: Pick<Accounts, 'apiKeys' | 'db' | 'sessions'>,
  token: string,
): Promise<void> {
  const accountId = await accounts.db.begin(async (tx) => {
    const known = await findChange(tx, sha256(token))
    const account = known && (await lockAccount(tx, known.accountId))
    // Another request may have used it while this one waited.
    const change = account && (await findChange(tx, sha256(token)))
    if (!change) throw new Failure('gone', 'This link has expired or was used already.')
    await requireFree(tx, change)
    await restoreSignIn(tx, ownerProof(change.accountId), change.id)
    await voidCodes(tx, change.accountId)
    await endAllSessions(tx, change.accountId, 'undone')
    await revokeKeysSince(tx, change.accountId, change.createdAt)
    const { accountId } = change
    await notify(tx, { accountId, type: 'security.change_undone', data: {} })
    return accountId
  })
  accounts.sessions.forget(accountId)
  accounts.apiKeys.forget(accountId)
}

/** An address that the account gave up may have been proven by another one since. */
async function requireFree(tx: Tx, change: SignInChange): Promise<void> {
  const values = new Set([change.email, change.phoneNumber, change.loginPhone])
  for (const value of [...values].filter((one) => one !== null).sort()) {
    await lockIdentifier(tx, value)
    const who = readIdentifier(value)
    const holder = who && (await findHolder(tx, who))
    if (holder && holder.id !== change.accountId) {
      throw new Failure(
        'conflict',
        'Another account has this email address or phone number by now. Please contact us.',
      )
    }
  }
}
