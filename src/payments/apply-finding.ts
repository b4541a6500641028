import { applyCommands } from '../ledger/ledger-store.ts'
import { creditsNumber } from '../ledger/money.ts'
import type { Db, Tx } from '../db/db.ts'
import { uuidv7 } from '../lib/ids.ts'
import type { Log, LogFields } from '../lib/log.ts'
import type { BalanceWatch } from '../notices/low-balance.ts'
import { notify } from '../notices/notices.ts'
import { tellWebhooks } from '../webhooks/events.ts'
import type { Decision, Finding } from './payment-state.ts'
import { decide } from './payment-state.ts'
import type { Payment } from './payments-store.ts'
import { addReceived, isOfDeleted, lockPayment, writeFinding } from './payments-store.ts'
import type { CheckTiming } from './schedule.ts'
import { nextCheckS } from './schedule.ts'

export type FindingParts = {
  db: Db
  log: Log
  timing: CheckTiming
  balanceWatch: BalanceWatch | undefined
  onStep: (step: string) => Promise<void> | void
}

/**
 * The only way a payment changes. Whatever was learned of it (by the create, after a callback, by
 * reconciliation, for an operator) is applied here, under the row's lock, and the credit, the notice
 * and the new status commit together or not at all.
 */
export async function applyFinding(
  parts: FindingParts,
  paymentId: string,
  finding: Finding,
): Promise<Payment | undefined> {
  await parts.onStep('found')
  const applied = await parts.db.begin(async (tx) => {
    const locked = await lockPayment(tx, paymentId)
    if (!locked) return undefined
    const { payment, now } = locked
    const accountDeleted = await isHeldBack(tx, payment, finding)
    const state = { ...payment, accountDeleted }
    const decision = decide(state, finding, now)
    if (decision.credit) await credit(tx, parts, payment)
    const nextS = nextCheckS(parts.timing, state, decision, now)
    const { wordS } = parts.timing
    const feeTzs = decision.status === 'completed' ? feeOf(payment, finding) : undefined
    await writeFinding(tx, { ...decision, id: payment.id, feeTzs, nextCheckS: nextS, wordS })
    await notifyCustomer(tx, payment, decision)
    await tellOperator(tx, payment, decision)
    // Last: payments that complete together wait here for each other until the commit.
    if (decision.credit) await addReceived(tx, payment)
    await parts.onStep(decision.credit ? 'credit_written' : 'finding_written')
    return { payment, decision }
  })
  await parts.onStep(applied?.decision.credit ? 'credit_committed' : 'finding_committed')
  if (!applied) return undefined
  const { payment, decision } = applied
  writeLog(parts.log, payment, decision, finding)
  return { ...payment, status: decision.status }
}

/** Once marked it stays so until the account is restored: an operator may have paid it back. */
async function isHeldBack(tx: Tx, payment: Payment, finding: Finding): Promise<boolean> {
  if (finding.status !== 'completed') return false
  return payment.review === 'account_deleted' || isOfDeleted(tx, payment)
}

/** Undefined unless the provider confirmed the whole amount; a fee above it is ignored. */
function feeOf({ amountTzs }: Payment, finding: Finding): number | undefined {
  if (finding.status !== 'completed' || finding.amountTzs !== amountTzs) return undefined
  const { feeTzs } = finding
  return feeTzs !== undefined && feeTzs >= 0 && feeTzs <= amountTzs ? feeTzs : undefined
}

/** The key is unique for ever: even a bug in `decide` cannot credit one payment twice. */
async function credit(tx: Tx, parts: FindingParts, payment: Payment): Promise<void> {
  const { accountId } = payment
  const [outcome] = await applyCommands(tx, [
    {
      kind: 'grant',
      accountId,
      amountMicro: payment.creditsMicro,
      entry: {
        id: uuidv7(),
        type: 'topup',
        key: `topup:${payment.id}`,
        description: 'Mobile money top-up',
        reference: { type: 'payment', id: payment.id },
      },
    },
  ])
  if (outcome?.kind !== 'posted') return
  const { availableMicro } = outcome
  await parts.balanceWatch?.noteBalances(tx, [{ accountId, availableMicro, credited: true }])
}

async function notifyCustomer(tx: Tx, payment: Payment, decision: Decision): Promise<void> {
  if (decision.status === payment.status) return
  const { accountId, amountTzs: amount_tzs } = payment
  const about = { payment_id: payment.id, amount_tzs }
  if (decision.status === 'completed') {
    const credits = creditsNumber(payment.creditsMicro)
    await notify(tx, { accountId, type: 'payment.completed', data: { ...about, credits } })
  } else if (decision.status === 'failed') {
    await notify(tx, { accountId, type: 'payment.failed', data: about })
  } else if (decision.status === 'expired') {
    await notify(tx, { accountId, type: 'payment.expired', data: about })
  }
}

async function tellOperator(tx: Tx, payment: Payment, decision: Decision): Promise<void> {
  const { id: payment_id, accountId: account_id, amountTzs: amount_tzs } = payment
  const about = { payment_id, account_id, amount_tzs }
  if (decision.credit) {
    const data = { ...about, credits: creditsNumber(payment.creditsMicro), late: decision.late }
    await tellWebhooks(tx, { type: 'payment.completed', data })
  }
  if (isNewReview(payment, decision)) {
    const data = { ...about, status: decision.status, reason: decision.review! }
    await tellWebhooks(tx, { type: 'payment.review', data })
  }
}

/** As the store sees it: the same finding is put before a person once. */
function isNewReview(payment: Payment, { review, said }: Decision): boolean {
  return review !== undefined && (review !== payment.review || said !== payment.reviewSaid)
}

function writeLog(log: Log, payment: Payment, decision: Decision, finding: Finding): void {
  const fields: LogFields = {
    payment_id: payment.id,
    account_id: payment.accountId,
    provider: payment.provider,
  }
  if (isNewReview(payment, decision)) {
    log.error('A payment needs manual review.', { ...fields, reason: decision.review })
  }
  if (decision.status !== payment.status) {
    const reason = decision.late ? 'late_success' : decision.errorCode
    if (reason !== undefined) fields.reason = reason
    log.info(`A payment became ${decision.status}.`, fields)
  } else if (finding.status === 'unreachable') {
    const attempt = payment.checks
    const { reason } = finding
    log.warn('The payment provider gave no usable answer.', { ...fields, attempt, reason })
  }
}
