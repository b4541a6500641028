import { findAccount } from '../accounts/accounts-store.ts'
import { applyCommands } from '../ledger/ledger-store.ts'
import { creditsNumber, creditsText, parseCredits } from '../ledger/money.ts'
import type { Db, Tx } from '../db/db.ts'
import { Failure } from '../lib/failure.ts'
import { uuidv7 } from '../lib/ids.ts'
import { notify } from '../notices/notices.ts'
import { withAuditLog, type AuditEvent, type RecordEvent } from './audit-log.ts'
import { adjustedToday } from './audit-log-store.ts'
import { requireOthersAccount, type Actor } from './actor.ts'
import { decideRequest, insertRequest, lockWaiting } from './adjustment-requests-store.ts'

export type Adjustment = {
  accountId: string
  amountMicro: bigint
  reason: string
  /** Used before, it changes nothing. */
  key: string
}

/** What operators may move by hand within a day. Commands have no limits. */
export type AdjustLimits = {
  /** More than this is refused to the role support. */
  supportMicro: bigint
  /** More than this waits for a second operator, whatever the role. */
  aloneMicro: bigint
}

export type Adjusted =
  | { kind: 'posted'; balanceMicro: bigint }
  | { kind: 'duplicate' }
  | { kind: 'refused'; availableMicro: bigint }
  | { kind: 'waiting'; requestId: string }

/** `12.5`, `+12.5`, `-3`: at most nine digits and six decimal places, and not zero. */
export function readAmount(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,9}(\.\d{1,6})?$/.test(text)) return undefined
  const size = parseCredits(text.replace(/^[+-]/, ''))
  if (size === 0n) return undefined
  return text.startsWith('-') ? -size : size
}

/** Undefined when there is no such account. */
export async function adjust(
  db: Db,
  actor: Actor,
  adjustment: Adjustment,
  limits?: AdjustLimits,
): Promise<Adjusted | undefined> {
  const { accountId } = adjustment
  return withAuditLog(db, actor, async (tx, record) => {
    requireOthersAccount(actor, accountId)
    if ((await findAccount(tx, accountId)) === undefined) return undefined
    if (limits && actor.operatorId !== null) {
      const asker = { ...actor, operatorId: actor.operatorId }
      if (await needsSecond(tx, asker, adjustment, limits)) {
        const requestId = await insertRequest(tx, asker, adjustment)
        await record({ ...auditEvent('account.adjust_ask', adjustment), amountMicro: undefined })
        return { kind: 'waiting', requestId }
      }
    }
    return post(tx, record, { adjustment, operator: actor.name, action: 'account.adjust' })
  })
}

/** The log is locked, so the sum of the day cannot be passed by many calls at once. */
async function needsSecond(
  tx: Tx,
  actor: Actor & { operatorId: string },
  { amountMicro }: Adjustment,
  limits: AdjustLimits,
): Promise<boolean> {
  const size = amountMicro < 0n ? -amountMicro : amountMicro
  const together = (await adjustedToday(tx, actor.operatorId)) + size
  if (actor.role !== 'owner' && together > limits.supportMicro) {
    const most = creditsText(limits.supportMicro)
    throw new Failure('forbidden', `Your role may adjust ${most} credits a day. Ask an owner.`)
  }
  return together > limits.aloneMicro
}

/** The entry, the notice to the customer and the audit event, in one transaction. */
async function post(
  tx: Tx,
  record: RecordEvent,
  posting: {
    adjustment: Adjustment
    operator: string
    action: string
    /** For the log. */
    more?: Record<string, string>
  },
): Promise<Adjusted> {
  const { adjustment, operator, action } = posting
  const { accountId, amountMicro, reason, key } = adjustment
  const entry = { id: uuidv7(), key: `adjustment:${key}`, description: reason, operator }
  const [outcome] = await applyCommands(tx, [
    { kind: 'adjust', accountId, amountMicro, entry: { ...entry, type: 'adjustment' } },
  ])
  if (outcome?.kind !== 'posted') return outcome as Extract<typeof outcome, Adjusted>
  const before = creditsText(outcome.balanceMicro - amountMicro)
  const after = creditsText(outcome.balanceMicro)
  await record({
    ...auditEvent(action, adjustment),
    before: { balance_credits: before },
    after: { balance_credits: after, entry_id: entry.id, ...posting.more },
  })
  if (amountMicro > 0n) {
    const data = { credits: creditsNumber(amountMicro), reason: 'adjustment' as const }
    await notify(tx, { accountId, type: 'credits.granted', data })
  }
  return { kind: 'posted', balanceMicro: outcome.balanceMicro }
}

function auditEvent(action: string, { accountId, amountMicro, reason }: Adjustment): AuditEvent {
  const target = { type: 'account', id: accountId }
  return {
    action,
    target,
    reason,
    amountMicro,
    after: { amount_credits: creditsText(amountMicro) },
  }
}

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
