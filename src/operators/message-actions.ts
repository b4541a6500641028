import type { Db } from '../db/db.ts'
import { isUuid } from '../lib/ids.ts'
import { reviveMessage } from '../notices/outbox-store.ts'
import { withAuditLog } from './audit-log.ts'
import type { Actor } from './actor.ts'

/** False when it is not undeliverable, or its text is gone. */
export async function resendMessage(
  db: Db,
  actor: Actor,
  { id, reason }: { id: string; reason: string | undefined },
): Promise<boolean> {
  if (!isUuid(id)) return false
  return withAuditLog(db, actor, async (tx, record) => {
    if (!(await reviveMessage(tx, id))) return false
    await record({ action: 'message.resend', target: { type: 'message', id }, reason })
    return true
  })
}
