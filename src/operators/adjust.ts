import { findAccount } from '../accounts/accounts-store.ts'
import { applyCommands } from '../ledger/ledger-store.ts'
import { creditsNumber, creditsText, parseCredits } from '../ledger/money.ts'
import type { Db, Tx } from '../db/db.ts'
import { Failure } from '../lib/failure.ts'
import { uuidv7 } from '../lib/ids.ts'
import { notify } from '../notices/notices.ts'
import { withAuditLog } from './audit-log.ts'
import { adjustedToday } from './audit-log-store.ts'
import type { CommandActor } from './actor.ts'
import { operatorsBehind } from './linked-store.ts'
import type { Act, OperatorActor, Hand } from './requests.ts'

export type Adjustment = {
  accountId: string
  amountMicro: bigint
  reason: string
  /** Used before, it changes nothing. */
  key: string
}

/** What operators may move by hand within a day, up or down. Commands have no limits. */
export type AdjustLimits = {
  /** More than this is refused to the role support. */
  supportMicro: bigint
  /** What one of them moves beyond this waits for a second owner, whatever the role. */
  aloneMicro: bigint
  /** What all of them move beyond this waits too. */
  togetherMicro: bigint
}

export type Adjusted = { kind: 'posted'; balanceMicro: bigint } | { kind: 'duplicate' }
type NotAdjusted = { kind: 'refused'; availableMicro: bigint }

/** `12.5`, `+12.5`, `-3`: at most nine digits and six decimal places, and not zero. */
export function readAmount(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,9}(\.\d{1,6})?$/.test(text)) return undefined
  const size = parseCredits(text.replace(/^[+-]/, ''))
  if (size === 0n) return undefined
  return text.startsWith('-') ? -size : size
}

/** For commands. Undefined when there is no such account. */
export function adjust(
  db: Db,
  actor: CommandActor,
  adjustment: Adjustment,
): Promise<Adjusted | NotAdjusted | undefined> {
  return withAuditLog(db, actor, (tx, record) => post(tx, { name: actor.name, record }, adjustment))
}

/** For operators; beyond the limits, and on accounts of operators, with a second owner. */
export function adjustAct(limits: AdjustLimits): Act<{ amount_credits: string }, Adjusted> {
  return {
    action: 'account.adjust',
    targetType: 'account',
    async waits(tx, asker, { targetId, wish }) {
      if ((await findAccount(tx, targetId)) === undefined) return false
      const isLarge = await isBeyond(tx, asker, readAmount(wish.amount_credits)!, limits)
      return isLarge || (await operatorsBehind(tx, targetId)).length > 0
    },
    async perform(tx, hand, { targetId: accountId, wish, reason = '', key }) {
      const amountMicro = readAmount(wish.amount_credits)!
      const adjusted = await post(tx, hand, { accountId, amountMicro, reason, key })
      if (adjusted?.kind !== 'refused') return adjusted
      const left = creditsText(adjusted.availableMicro)
      throw new Failure('conflict', `Only ${left} credits are available.`)
    },
  }
}

/** The log is locked, so the sums of the day cannot be passed by many calls at once. */
async function isBeyond(
  tx: Tx,
  asker: OperatorActor,
  amountMicro: bigint,
  limits: AdjustLimits,
): Promise<boolean> {
  const size = amountMicro < 0n ? -amountMicro : amountMicro
  const moved = await adjustedToday(tx, asker.operatorId)
  const own = moved.ownMicro + size
  if (asker.role !== 'owner' && own > limits.supportMicro) {
    const most = creditsText(limits.supportMicro)
    throw new Failure('forbidden', `Your role may adjust ${most} credits a day. Ask an owner.`)
  }
  return own > limits.aloneMicro || moved.allMicro + size > limits.togetherMicro
}

/** The entry, the notice to the customer and the audit event, in one transaction. */
async function post(
  tx: Tx,
  hand: Hand,
  { accountId, amountMicro, reason, key }: Adjustment,
): Promise<Adjusted | NotAdjusted | undefined> {
  if ((await findAccount(tx, accountId)) === undefined) return undefined
  const operator = hand.name
  const entry = { id: uuidv7(), key: `adjustment:${key}`, description: reason, operator }
  const [outcome] = await applyCommands(tx, [
    { kind: 'adjust', accountId, amountMicro, entry: { ...entry, type: 'adjustment' } },
  ])
  if (outcome?.kind !== 'posted') return outcome as Extract<typeof outcome, Adjusted | NotAdjusted>
  const before = creditsText(outcome.balanceMicro - amountMicro)
  const after = creditsText(outcome.balanceMicro)
  await hand.record({
    action: 'account.adjust',
    target: { type: 'account', id: accountId },
    reason,
    amountMicro,
    before: { balance_credits: before },
    after: { balance_credits: after, entry_id: entry.id },
  })
  if (amountMicro > 0n) {
    const data = { credits: creditsNumber(amountMicro), reason: 'adjustment' as const }
    await notify(tx, { accountId, type: 'credits.granted', data })
  }
  return { kind: 'posted', balanceMicro: outcome.balanceMicro }
}
