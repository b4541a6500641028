import { basename } from 'node:path'
import { voidEveryCode } from '../accounts/codes/codes-store.ts'
import { countEveryKey, revokeEveryKey } from '../accounts/credentials/api-keys-store.ts'
import { endEverySession } from '../accounts/credentials/sessions-store.ts'
import type { Db } from '../db/db.ts'
import { withAuditLog } from './audit-log.ts'
import type { Actor } from './actor.ts'
import { hasLog } from './audit-log-store.ts'
import { listOperators, type Operator } from './operators-store.ts'

/**
 * Logs a backup, since whoever has one has every account: before the copy is made, so that the copy
 * has the event too. False for a database that the service never started with.
 */
export async function noteBackup(db: Db, actor: Actor, file: string): Promise<boolean> {
  if (!(await hasLog(db))) return false
  await withAuditLog(db, actor, (_tx, record) =>
    record({ action: 'database.backup', target: DATABASE, after: { file: basename(file) } }),
  )
  return true
}

export type KeysAfterRestore = 'keep' | 'revoke'

/** What a restored database had in it when the backup was made. */
export type Restored = { sessions: number; keys: number; operators: Operator[] }

/**
 * A restored database is as it was then: what was ended, revoked or changed since has come back. So
 * everybody signs in again, no code is good, and the operator decides about the keys.
 */
export function secureRestored(
  db: Db,
  actor: Actor,
  {
    keys,
    ...about
  }: { keys: KeysAfterRestore; file?: string | undefined; made?: string | undefined },
): Promise<Restored> {
  return withAuditLog(db, actor, async (tx, record) => {
    const sessions = await endEverySession(tx, 'restored')
    await voidEveryCode(tx)
    const count = await countEveryKey(tx)
    if (keys === 'revoke') await revokeEveryKey(tx)
    const { file, made } = about
    const source = {
      ...(file !== undefined && { file: basename(file) }),
      ...(made !== undefined && { made }),
    }
    const after = { ...source, keys, key_count: count, session_count: sessions }
    await record({ action: 'database.restore', target: DATABASE, after })
    return { sessions, keys: count, operators: await listOperators(tx) }
  })
}

const DATABASE = { type: 'database', id: 'all' }
