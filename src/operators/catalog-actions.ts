import { approvePrices, isMeant, setModelDisabled } from '../catalog/approve.ts'
import { findCatalogModel } from '../catalog/history-store.ts'
import { lockCatalog } from '../catalog/lease-store.ts'
import { isBoldMargin, setMargin, type MarginChange, type MarginWish } from '../catalog/margins.ts'
import { readPending, type PendingPrice } from '../catalog/pending-store.ts'
import { describeMove } from '../catalog/price-move.ts'
import { syncCatalog, type SyncParts, type SyncReport } from '../catalog/sync.ts'
import type { Db, Tx } from '../db/db.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { plainDecimal } from '../lib/decimal.ts'
import { Failure } from '../lib/failure.ts'
import { sha256 } from '../lib/secrets.ts'
import { withAuditLog, type RecordEvent } from './audit-log.ts'
import type { Actor, CommandActor } from './actor.ts'
import type { Act, Hand } from './requests.ts'

/** Approves prices that wait, as they were when they were shown. */
type ApprovalWish = {
  /** Null: all that wait. */
  ids: string[] | null
  /** Over the prices meant, so that nobody confirms others than were asked for. */
  seen: string
  changes: string[]
}

/** Puts waiting prices in force. They wait because they moved too far, so one person is not enough. */
export function approvalAct(): Act<ApprovalWish, PendingPrice[]> {
  return {
    action: 'price.approve',
    targetType: 'model',
    waits: async (tx, _asker, { wish }) => (await pricesMeant(tx, wish.ids)).length > 0,
    async perform(tx, hand, { wish: { ids, seen }, reason }) {
      if (digestOf(await pricesMeant(tx, ids)) !== seen) {
        throw new Failure('conflict', 'Other prices wait by now than those that were asked for.')
      }
      return approve(tx, hand, { ids: ids ?? undefined, reason })
    },
  }
}

/** The wish for these prices as they are now. */
export async function wishFor(tx: Tx, ids: string[] | null): Promise<ApprovalWish> {
  const prices = await pricesMeant(tx, ids)
  const changes = prices.flatMap(({ id, upstream, old, next }) =>
    describeMove(old, next).map((line) => `${id} at ${upstream}: ${line}`),
  )
  return { ids, seen: digestOf(prices), changes }
}

async function pricesMeant(tx: Tx, ids: string[] | null): Promise<PendingPrice[]> {
  await lockCatalog(tx)
  return (await readPending(tx)).filter((one) => isMeant(one, ids ?? undefined))
}

function digestOf(prices: PendingPrice[]): string {
  const seen = prices.map(({ modelId, upstream, next }) => ({ modelId, upstream, next }))
  return sha256(canonicalJson(seen)).toString('hex')
}

/** For commands: those of these models or all of them. */
export function approveWaiting(
  db: Db,
  actor: CommandActor,
  wish: { ids: string[] | undefined; reason: string | undefined },
): Promise<PendingPrice[]> {
  return withAuditLog(db, actor, (tx, record) => approve(tx, { name: actor.name, record }, wish))
}

async function approve(
  tx: Tx,
  { name, record }: Hand,
  { ids, reason }: { ids: string[] | undefined; reason: string | undefined },
): Promise<PendingPrice[]> {
  const approved = await approvePrices(tx, { ids, operator: name })
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
}

/** From 0.01 to 100 with at most six places, as plain digits. Zero would give all away. */
export function readMargin(value: unknown): string | undefined {
  const text = plainDecimal(value) ?? ''
  const inRange = Number(text) >= 0.01 && Number(text) <= 100
  return /^\d{1,3}(\.\d{1,6})?$/.test(text) && inRange ? text : undefined
}

/** Null removes the model's own margin. */
export type ModelWish = { enabled?: boolean | undefined; margin?: string | null | undefined }

/** Switches a model on or off, sets its margin, or both. Nothing to do when there is no such model. */
export function modelAct(parts: SyncParts): Act<ModelWish, ModelWish> {
  return {
    action: 'model.change',
    targetType: 'model',
    async waits(tx, _asker, { targetId: name, wish: { margin } }) {
      if (margin === undefined) return false
      return isBoldMargin(tx, parts, { scope: 'model', name, margin })
    },
    async perform(tx, hand, { targetId, wish, reason }) {
      const known = await findCatalogModel(tx, targetId)
      if (known === undefined) return undefined
      const { enabled, margin } = wish
      const { id } = known
      if (enabled !== undefined) await switchModel(tx, hand.record, { id, enabled, reason })
      if (margin !== undefined) {
        await reprice(tx, { parts, hand }, { scope: 'model', name: id, margin, reason })
      }
      return wish
    },
  }
}

/** Nothing to do when there is no model that produces this. */
export function modalityAct(parts: SyncParts): Act<{ margin: string | null }, MarginChange> {
  return {
    action: 'modality.margin',
    targetType: 'modality',
    waits: (tx, _asker, { targetId: name, wish: { margin } }) =>
      isBoldMargin(tx, parts, { scope: 'modality', name, margin }),
    perform: (tx, hand, { targetId: name, wish: { margin }, reason }) =>
      reprice(tx, { parts, hand }, { scope: 'modality', name, margin, reason }),
  }
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
  { parts, hand }: { parts: SyncParts; hand: Hand },
  wish: MarginWish & { reason: string | undefined },
): Promise<MarginChange | undefined> {
  const { scope, name, margin, reason } = wish
  const changed = await setMargin(tx, parts, { scope, name, margin, operator: hand.name })
  if (changed === undefined || (changed.before ?? null) === margin) return changed
  await hand.record({
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
