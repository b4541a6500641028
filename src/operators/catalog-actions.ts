import { approvePrices, setModelDisabled } from '../catalog/approve.ts'
import { findCatalogModel } from '../catalog/history-store.ts'
import { setMargin, type MarginChange, type MarginWish } from '../catalog/margins.ts'
import type { PendingPrice } from '../catalog/pending-store.ts'
import { describeMove } from '../catalog/price-move.ts'
import { syncCatalog, type SyncParts, type SyncReport } from '../catalog/sync.ts'
import type { Db, Tx } from '../db/db.ts'
import { plainDecimal } from '../lib/decimal.ts'
import { withAuditLog, type RecordEvent } from './audit-log.ts'
import type { Actor } from './actor.ts'

/** Puts waiting prices in force, those of these models or all of them. */
export function approveWaiting(
  db: Db,
  actor: Actor,
  { ids, reason }: { ids: string[] | undefined; reason: string | undefined },
): Promise<PendingPrice[]> {
  return withAuditLog(db, actor, async (tx, record) => {
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

/** From 0.01 to 100 with at most six places, as plain digits. Zero would give all away. */
export function readMargin(value: unknown): string | undefined {
  const text = plainDecimal(value) ?? ''
  const inRange = Number(text) >= 0.01 && Number(text) <= 100
  return /^\d{1,3}(\.\d{1,6})?$/.test(text) && inRange ? text : undefined
}

export type ModelWish = {
  id: string
  enabled?: boolean | undefined
  /** Null removes the model's own margin. */
  margin?: string | null | undefined
  reason: string | undefined
}

/** Switches a model on or off, sets its margin, or both. False when there is no such model. */
export function changeModel(parts: SyncParts, actor: Actor, wish: ModelWish): Promise<boolean> {
  return withAuditLog(parts.db, actor, async (tx, record) => {
    const known = await findCatalogModel(tx, wish.id)
    if (known === undefined) return false
    const { enabled, margin, reason } = wish
    const { id } = known
    if (enabled !== undefined) await switchModel(tx, record, { id, enabled, reason })
    if (margin !== undefined) {
      await reprice(tx, { parts, actor, record }, { scope: 'model', name: id, margin, reason })
    }
    return true
  })
}

/** Undefined when there is no model that produces this. */
export function changeMargin(
  parts: SyncParts,
  actor: Actor,
  wish: { modality: string; margin: string | null; reason: string | undefined },
): Promise<MarginChange | undefined> {
  const { modality: name, margin, reason } = wish
  return withAuditLog(parts.db, actor, (tx, record) =>
    reprice(tx, { parts, actor, record }, { scope: 'modality', name, margin, reason }),
  )
}

async function switchModel(
  tx: Tx,
  record: RecordEvent,
  { id, enabled, reason }: { id: string; enabled: boolean; reason: string | undefined },
): Promise<void> {
  const found = await setModelDisabled(tx, id, !enabled)
  const before = { enabled: !found?.wasDisabled }
  if (before.enabled === enabled) return
  const action = enabled ? 'model.enable' : 'model.disable'
  await record({ action, target: { type: 'model', id }, reason, before, after: { enabled } })
}

async function reprice(
  tx: Tx,
  by: { parts: SyncParts; actor: Actor; record: RecordEvent },
  wish: Omit<MarginWish, 'operator'> & { reason: string | undefined },
): Promise<MarginChange | undefined> {
  const { scope, name, margin, reason } = wish
  const changed = await setMargin(tx, by.parts, { scope, name, margin, operator: by.actor.name })
  if (changed === undefined || (changed.before ?? null) === margin) return changed
  await by.record({
    action: `${scope}.margin`,
    target: { type: scope, id: name },
    reason,
    before: { margin: changed.before ?? null },
    after: { margin, prices: changed.repriced },
  })
  return changed
}

/**
 * Reads the lists of all upstreams now. The audit event is in the transaction that writes the result;
 * while another process reads them, nothing is done.
 */
export function syncByHand(
  parts: SyncParts,
  actor: Actor,
  wish: { believe: boolean; reason: string | undefined; signal?: AbortSignal | undefined },
): Promise<SyncReport> {
  const { believe, reason, signal } = wish
  const inside = (write: (tx: Tx) => Promise<SyncReport>) =>
    withAuditLog(parts.db, actor, async (tx, record) => {
      const report = await write(tx)
      if (report.state === 'skipped') return report
      const { state: _state, ...after } = report
      const target = { type: 'catalog', id: 'all' }
      await record({ action: 'catalog.sync', target, reason, after: { ...after, believe } })
      return report
    })
  return syncCatalog(parts, { believe, signal, inside })
}
