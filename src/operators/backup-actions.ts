import { basename } from 'node:path'
import type { Db } from '../db/db.ts'
import { withAuditLog } from './audit-log.ts'
import type { Actor } from './actor.ts'
import { hasLog } from './audit-log-store.ts'

type BackupEvent = {
  action: 'database.backup' | 'database.restore'
  file: string
  /** When a backup that is restored was made. */
  made?: string | undefined
}

/**
 * Logs a backup, since whoever has one has every account: before the copy is made, so that the copy
 * has the event too. False for a database that the service never started with.
 */
export async function noteBackup(db: Db, actor: Actor, event: BackupEvent): Promise<boolean> {
  if (!(await hasLog(db))) return false
  const { action, file, made } = event
  const target = { type: 'database', id: 'all' }
  const after = { file: basename(file), ...(made !== undefined && { made }) }
  await withAuditLog(db, actor, (_tx, record) => record({ action, target, after }))
  return true
}
