import { randomBytes } from 'node:crypto'
import type { Tx } from '../../db/db.ts'
import { uuidv7 } from '../../lib/ids.ts'
import { sha256 } from '../../lib/secrets.ts'
import type { Notice } from '../../notices/notice.ts'
import { notify } from '../../notices/notices.ts'
import type { Accounts } from '../accounts.ts'
import { insertChange } from './changes-store.ts'

/**
 * Tells the owner of a change of how the account is signed in to, with a link that undoes it for
 * seven days. Called before the change, so that it reaches the addresses of before, and so that what
 * is there now can come back.
 */
export async function tellOfChange(
  accounts: Pick<Accounts, 'pagesUrl'>,
  tx: Tx,
  notice: Notice,
): Promise<void> {
  const token = randomBytes(16).toString('base64url')
  const { accountId } = notice
  await insertChange(tx, { id: uuidv7(), accountId, tokenHash: sha256(token) })
  // In the fragment: no server and no proxy on the way ever sees it.
  await notify(tx, notice, `${accounts.pagesUrl}/undo#${token}`)
}
