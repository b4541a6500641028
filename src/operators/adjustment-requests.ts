import type { Db } from '../db/db.ts'
import { Failure } from '../lib/failure.ts'
import { withAuditLog } from './audit-log.ts'
import { requireOthersAccount, type Actor } from './actor.ts'
import { post, type Adjusted } from './adjust.ts'
import { decideRequest, lockWaiting } from './adjustment-requests-store.ts'

/** Undefined when there is no such request, or another operator was faster. */
export function decideAdjustment(
  db: Db,
  actor: Actor,
  wanted: { id: string; approve: boolean; reason: string },
): Promise<Adjusted | { kind: 'turned_down' } | undefined> {
  return withAuditLog(db, actor, async (tx, record) => {
    const request = await lockWaiting(tx, wanted.id)
    if (!request) return undefined
    if (!wanted.approve) {
      await decideRequest(tx, request.id, 'refused')
      const target = { type: 'account', id: request.accountId }
      const before = { asked_by: request.askedByName }
      await record({ action: 'account.adjust_refuse', target, reason: wanted.reason, before })
      return { kind: 'turned_down' }
    }
    if (request.askedBy === actor.operatorId) {
      throw new Failure(
        'forbidden',
        'You asked for this yourself: another operator has to approve.',
      )
    }
    requireOthersAccount(actor, request.accountId)
    const operator = `${request.askedByName}, approved by ${actor.name}`
    const adjusted = await post(tx, record, {
      adjustment: request,
      operator,
      action: 'account.adjust_approve',
      more: { asked_by: request.askedByName, approval: wanted.reason },
    })
    // A balance that cannot pay for it now leaves the request open.
    if (adjusted.kind !== 'refused') await decideRequest(tx, request.id, 'approved')
    return adjusted
  })
}
