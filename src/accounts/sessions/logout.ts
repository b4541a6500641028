import type { Accounts } from '../accounts.ts'
import { isOurs, readRefreshToken } from '../credentials/refresh-token.ts'
import { endAllSessions, endSession, lockSession } from '../credentials/sessions-store.ts'

/** Ends every session, the one a refresh token names, or else the caller's own. */
export async function logout(
  accounts: Accounts,
  caller: { accountId: string; sessionId: string },
  wish: { refreshToken?: string | undefined; all?: boolean | undefined },
): Promise<void> {
  const { accountId } = caller
  if (wish.all) {
    await accounts.db.begin((tx) => endAllSessions(tx, accountId, 'logout'))
    return accounts.sessions.forget(accountId)
  }
  const id =
    wish.refreshToken === undefined
      ? caller.sessionId
      : await sessionOfToken(accounts, accountId, wish.refreshToken)
  if (id === undefined) return
  await accounts.db.begin((tx) => endSession(tx, { id, accountId, reason: 'logout' }))
  accounts.sessions.forget(id)
}

/** A token of another account is as good as unknown. */
async function sessionOfToken(
  accounts: Accounts,
  accountId: string,
  text: string,
): Promise<string | undefined> {
  const token = readRefreshToken(text)
  if (!token) return undefined
  const session = await accounts.db.begin((tx) => lockSession(tx, token.sessionId))
  if (session?.accountId !== accountId) return undefined
  return isOurs(accounts.keys.refresh, token, session.salt) ? session.id : undefined
}
