import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import { notify } from '../../notices/notices.ts'
import type { Accounts } from '../accounts.ts'
import { findAccount } from '../accounts-store.ts'
import { isOurRefreshToken, readRefreshToken } from '../credentials/tokens.ts'
import type { RefreshToken } from '../credentials/tokens.ts'
import { presentSession } from './sessions.ts'
import type { OpenedSession, SessionView } from './sessions.ts'
import { endSession, lockSession, rotateSession } from '../credentials/sessions-store.ts'
import type { SessionRow } from '../credentials/sessions-store.ts'

/**
 * Replaces the pair of tokens. The token just before the current one still gets the current one
 * for a while (a lost answer, two tabs), so that parallel refreshes leave one usable refresh token.
 * Any other old token means that two parties hold it: the session ends. A browser's token works only
 * from its cookie, a program's only without.
 */
export async function refresh(
  accounts: Pick<Accounts, 'db' | 'keys' | 'sessions' | 'signer'>,
  text: string,
  cookie = false,
): Promise<SessionView> {
  const token = readRefreshToken(text)
  if (!token) throw refused()
  const session = await accounts.db.begin((tx) => rotate(accounts, tx, { token, cookie }))
  if (session === undefined) {
    accounts.sessions.forget(token.sessionId)
    throw refused()
  }
  return presentSession(accounts, session)
}

async function rotate(
  accounts: Pick<Accounts, 'keys'>,
  tx: Tx,
  { token, cookie }: { token: RefreshToken; cookie: boolean },
): Promise<OpenedSession | undefined> {
  const session = await lockSession(tx, token.sessionId)
  if (!session?.live || !isOurRefreshToken(accounts.keys.refresh, token, session.salt))
    return undefined
  if (session.cookie !== cookie) return undefined
  const account = await findAccount(tx, session.accountId)
  if (account?.status !== 'active') return undefined
  const { id, salt, counter, guest } = session
  if (token.counter === counter) {
    const lifeS = await rotateSession(tx, id)
    return { account, id, salt, counter: counter + 1, guest, lifeS }
  }
  if (token.counter === counter - 1 && session.justRotated) {
    return { account, id, salt, counter, guest, lifeS: session.lifeS }
  }
  await endForReuse(tx, session)
  return undefined
}

async function endForReuse(tx: Tx, { id, accountId }: SessionRow): Promise<void> {
  await endSession(tx, { id, accountId, reason: 'reuse' })
  const data = { session_id: id }
  await notify(tx, { accountId, type: 'security.session_reuse', data })
}

function refused(): Failure {
  return new Failure('unauthorized', 'The refresh token is missing, invalid or expired.', {
    code: 'invalid_api_key',
  })
}
