import { randomBytes } from 'node:crypto'
import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import { uuidv7 } from '../../lib/ids.ts'
import { hmacSha256 } from '../../lib/secrets.ts'
import { notify } from '../../notices/notices.ts'
import { profileOf } from '../account.ts'
import type { Account, Profile } from '../account.ts'
import type { Accounts } from '../accounts.ts'
import { writeRefreshToken } from '../credentials/refresh-token.ts'
import { deviceHistory, insertSession, REFRESH_LIFE_S } from '../credentials/sessions-store.ts'
import { ACCESS_LIFE_S } from '../credentials/tokens.ts'

/** Where a sign-in came from; only a keyed hash of the two is kept. */
export type Device = { address: string; userAgent: string }

/** A session that stands in the database but has not been handed out yet. */
export type OpenedSession = { account: Account; id: string; counter: number; salt: Uint8Array }

export type SessionView = {
  access_token: string
  token_type: 'Bearer'
  expires_in: number
  refresh_token: string
  refresh_expires_in: number
  user: Profile
}

/** The end of every road in: password, code, social, partner. The account must be active. */
export async function signIn(
  room: Accounts,
  tx: Tx,
  { account, device }: { account: Account; device: Device },
): Promise<OpenedSession> {
  if (account.status !== 'active') throw new Failure('forbidden', CLOSED[account.status])
  const mark = hmacSha256(room.keys.identifiers, `${device.address}\n${device.userAgent}`)
  const { known, first } = await deviceHistory(tx, account.id, mark)
  const session = { id: uuidv7(), salt: randomBytes(16) }
  await insertSession(tx, { ...session, accountId: account.id, device: mark })
  if (!known && !first) {
    const data = { address: device.address }
    await notify(tx, { accountId: account.id, type: 'security.new_login', data })
  }
  return { account, counter: 0, ...session }
}

/** Signs and shows the pair. Call it after the commit. */
export async function presentSession(room: Accounts, opened: OpenedSession): Promise<SessionView> {
  const { account, id } = opened
  return {
    access_token: await room.signer.sign({
      accountId: account.id,
      sessionId: id,
      role: account.role,
    }),
    token_type: 'Bearer',
    expires_in: ACCESS_LIFE_S,
    refresh_token: writeRefreshToken(room.keys.refresh, opened),
    refresh_expires_in: REFRESH_LIFE_S,
    user: profileOf(account),
  }
}

const CLOSED = {
  pending_verification: 'This account is not verified yet.',
  suspended: 'This account is suspended.',
}
