import type { Tx } from '../../db/db.ts'
import { deleteOldest } from '../../db/purge-store.ts'

const ATTEMPT_LIFE_S = 600

export type BrowserProviderName = 'google' | 'github'

export type Attempt = {
  provider: BrowserProviderName
  stateHash: Buffer
  browserHash: Buffer
  redirectUri: string
  clientState: string | undefined
  /** The session is to be in a cookie. */
  cookie: boolean
}

export async function insertAttempt(tx: Tx, attempt: Attempt): Promise<void> {
  await tx.query(
    `insert into sign_in_attempts
       (state_hash, provider, browser_hash, redirect_uri, client_state, cookie, expires_at)
     values ($1, $2, $3, $4, $5, $6, now() + ${ATTEMPT_LIFE_S} * interval '1 second')`,
    [
      attempt.stateHash,
      attempt.provider,
      attempt.browserHash,
      attempt.redirectUri,
      attempt.clientState ?? null,
      attempt.cookie,
    ],
  )
}

/** Can be taken once, and only by the browser that began it. */
export async function takeAttempt(
  tx: Tx,
  wanted: Pick<Attempt, 'provider' | 'stateHash' | 'browserHash'>,
): Promise<Pick<Attempt, 'redirectUri' | 'clientState' | 'cookie'> | undefined> {
  const [row] = await tx.query<{
    redirect_uri: string
    client_state: string | null
    cookie: boolean
    live: boolean
  }>(
    `delete from sign_in_attempts where state_hash = $1 and provider = $2 and browser_hash = $3
     returning redirect_uri, client_state, cookie, expires_at > now() as live`,
    [wanted.stateHash, wanted.provider, wanted.browserHash],
  )
  if (!row?.live) return undefined
  const { redirect_uri: redirectUri, client_state: clientState, cookie } = row
  return { redirectUri, clientState: clientState ?? undefined, cookie }
}

/** True for the first who spends the token. */
export async function spendToken(tx: Tx, tokenHash: Buffer, lifeS: number): Promise<boolean> {
  const rows = await tx.query(
    `insert into spent_tokens (token_hash, expires_at)
     values ($1, now() + $2::float8 * interval '1 second')
     on conflict do nothing returning token_hash`,
    [tokenHash, lifeS],
  )
  return rows.length === 1
}

export function purgeAttempts(tx: Tx, batch: number): Promise<number> {
  const where = 'expires_at < now()'
  return deleteOldest(tx, batch, { table: 'sign_in_attempts', where, order: 'expires_at' })
}

/** An expired token is refused anyway. */
export function purgeSpentTokens(tx: Tx, batch: number): Promise<number> {
  const where = 'expires_at < now()'
  return deleteOldest(tx, batch, { table: 'spent_tokens', where, order: 'expires_at' })
}
