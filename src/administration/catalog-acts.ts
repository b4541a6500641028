import { approvePrices, setModelDisabled } from '../catalog/approve.ts'
import type { PendingPrice } from '../catalog/pending-store.ts'
import { describeMove } from '../catalog/price-move.ts'
import type { Db } from '../db/db.ts'
import { act } from './action-log.ts'
import type { Actor } from './actor.ts'

/** Puts waiting prices in force, those of these models or all of them. */
export function approveWaiting(
  db: Db,
  actor: Actor,
  { ids, reason }: { ids: string[] | undefined; reason: string | undefined },
): Promise<PendingPrice[]> {
  return act(db, actor, async (tx, record) => {
    const approved = await approvePrices(tx, { ids, operator: actor.name })
    for (const price of approved) {
      await record({
        action: 'price.approve',
        target: { type: 'model', id: price.id },
        reason,
        before: { upstream: price.upstream, pricing: price.old.pricing },
        after: { pricing: price.next.pricing, changes: describeMove(price.old, price.next) },
      })
    }
    return approved
  })
}

/** False when there is no such model. */
export function switchModel(
  db: Db,
  actor: Actor,
  wanted: { id: string; enabled: boolean; reason: string | undefined },
): Promise<boolean> {
  const { id, enabled, reason } = wanted
  return act(db, actor, async (tx, record) => {
    const found = await setModelDisabled(tx, id, !enabled)
    if (found === undefined) return false
    const before = { enabled: !found.wasDisabled }
    if (before.enabled !== enabled) {
      const action = enabled ? 'model.enable' : 'model.disable'
      await record({ action, target: { type: 'model', id }, reason, before, after: { enabled } })
    }
    return true
  })
}
