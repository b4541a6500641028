import { as, bool, columns, optional, text, type RowOf } from '../../db/columns.ts'
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

const TAKEN = columns({
  redirectUri: text,
  clientState: optional(text),
  cookie: bool,
  live: as('expires_at > now()', bool),
})

/** Can be taken once, and only by the browser that began it. */
export async function takeAttempt(
  tx: Tx,
  wanted: Pick<Attempt, 'provider' | 'stateHash' | 'browserHash'>,
): Promise<RowOf<typeof TAKEN> | undefined> {
  const rows = await tx.query(
    `delete from sign_in_attempts where state_hash = $1 and provider = $2 and browser_hash = $3
     returning ${TAKEN.list}`,
    [wanted.stateHash, wanted.provider, wanted.browserHash],
  )
  const attempt = TAKEN.first(rows)
  return attempt?.live ? attempt : undefined
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
