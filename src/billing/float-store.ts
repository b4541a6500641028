import { setTimeout as wait } from 'node:timers/promises'
import type { Db, Tx } from '../db/db.ts'

const CHANNEL = 'floats'
const PATIENCE_MS = 1_000
const LOOK_MS = 50

/**
 * Asks every process to give back what it holds of the account for calls to come, and waits for it.
 * Says whether there was anything: then what was refused for want of credits may be granted now.
 * `asker` is a process whose own float was in nobody's way.
 */
export async function recallFloats(db: Db, accountId: string, asker?: string): Promise<boolean> {
  const held = await heldInFloats(db, accountId, asker)
  if (held === 0n) return false
  await db.query('select pg_notify($1, $2)', [CHANNEL, accountId])
  const endMs = performance.now() + PATIENCE_MS
  while (performance.now() < endMs) {
    await wait(LOOK_MS)
    if ((await heldInFloats(db, accountId, asker)) < held) break
  }
  return true
}

/** Gives back whatever another process asks for. */
export async function answerRecalls(
  db: Db,
  returnFloat: (accountId: string) => Promise<void>,
): Promise<void> {
  await db.listen(CHANNEL, (accountId) => {
    // Should it fail, the asker does without, and the float goes when it is not used.
    if (accountId !== '') void returnFloat(accountId).catch(() => {})
  })
}

async function heldInFloats(tx: Tx, accountId: string, asker?: string): Promise<bigint> {
  const [row] = await tx.read<{ micro: bigint }>(
    `select coalesce(sum(amount_micro), 0)::int8 as micro from holds
     where account_id = $1 and is_float and owner_process is distinct from $2`,
    [accountId, asker ?? null],
  )
  return row!.micro
}
