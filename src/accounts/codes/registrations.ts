import type { Tx } from '../../db/db.ts'
import type { Account } from '../account.ts'
import { findAccount } from '../accounts-store.ts'
import type { Asker } from './asker.ts'
import type { CodeRequest } from './codes.ts'
import { listCodes } from './codes-store.ts'

/*
 * Registrations of one address live side by side: a code opens the one that it was made for. Whoever
 * asked for its code is taken for the one who registered.
 */

/** The asker's newest registration that still waits for its code. */
export async function ownRegistration(
  tx: Tx,
  request: CodeRequest,
  { marks }: Asker,
): Promise<Account | undefined> {
  const codes = await listCodes(tx, request)
  for (const { accountId } of codes.filter(({ asker }) => marks.includes(asker))) {
    const account = accountId === null ? undefined : await findAccount(tx, accountId)
    if (account?.status === 'pending_verification') return account
  }
  return undefined
}
