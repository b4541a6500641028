import { as, bool, bytes, columns } from '../../db/columns.ts'
import type { Tx } from '../../db/db.ts'
import { deleteOldest } from '../../db/purge-store.ts'

/** For what a passkey signs, and the session or the challenge of a login for which it does. */
export type PasskeyUse = {
  use: 'add' | 'log_in' | 'step_up'
  boundTo: string
  accountId: string
}

export const PASSKEY_CHALLENGE_S = 300

/** Replaces the one before: only the last can be signed. */
export async function putChallenge(
  tx: Tx,
  { use, boundTo, accountId }: PasskeyUse,
  challenge: Buffer,
): Promise<void> {
  await tx.query(
    `insert into passkey_challenges (bound_to, use, account_id, challenge, expires_at)
     values ($1, $2, $3, $4, now() + ${PASSKEY_CHALLENGE_S} * interval '1 second')
     on conflict (bound_to, use) do update set account_id = excluded.account_id,
       challenge = excluded.challenge, expires_at = excluded.expires_at`,
    [boundTo, use, accountId, challenge],
  )
}

const TAKEN = columns({ challenge: bytes, live: as('expires_at > now()', bool) })

/** It can be taken once, whatever comes of it. */
export async function takeChallenge(
  tx: Tx,
  { use, boundTo, accountId }: PasskeyUse,
): Promise<Uint8Array | undefined> {
  const rows = await tx.query(
    `delete from passkey_challenges where bound_to = $1 and use = $2 and account_id = $3
     returning ${TAKEN.list}`,
    [boundTo, use, accountId],
  )
  const taken = TAKEN.first(rows)
  return taken?.live ? taken.challenge : undefined
}

export function purgePasskeyChallenges(tx: Tx, batch: number): Promise<number> {
  const where = 'expires_at < now()'
  return deleteOldest(tx, batch, { table: 'passkey_challenges', where, order: 'expires_at' })
}
