import { applyCommands } from '../billing/ledger-store.ts'
import { creditsNumber } from '../billing/money.ts'
import type { Db, Tx } from '../db/db.ts'
import { uuidv7 } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import type { BalanceWatch } from '../notices/low-balance.ts'
import { tell } from '../notices/notices.ts'
import type { Payment } from './payments-store.ts'
import { lockPayment, writeFinding } from './payments-store.ts'
import { nextLookS } from './schedule.ts'
import type { Timing } from './schedule.ts'
import type { Decision, Finding } from './transition.ts'
import { decide } from './transition.ts'

export type ObserveParts = {
  db: Db
  log: Log
  timing: Timing
  balanceWatch: BalanceWatch | undefined
  onStep: (step: string) => Promise<void> | void
}

/**
 * The only way a payment changes. Whoever learned something (the create, a callback's query, the
 * reconciliation, an operator) brings it here; the row's lock puts them in a line, and the credit,
 * the notice and the new status commit together or not at all.
 */
export async function observe(
  parts: ObserveParts,
  paymentId: string,
  finding: Finding,
): Promise<Payment | undefined> {
  await parts.onStep('found')
  const seen = await parts.db.begin(async (tx) => {
    const locked = await lockPayment(tx, paymentId)
    if (!locked) return undefined
    const { payment, now } = locked
    const decision = decide(payment, finding, now)
    if (decision.credit) await credit(tx, parts, payment)
    const look = nextLookS(parts.timing, payment, decision, now)
    await writeFinding(tx, { ...decision, id: payment.id, nextLookS: look })
    await tellOf(tx, payment, decision)
    await parts.onStep(decision.credit ? 'credit_written' : 'finding_written')
    return { payment, decision }
  })
  await parts.onStep(seen?.decision.credit ? 'credit_committed' : 'finding_committed')
  if (seen) record(parts.log, seen.payment, seen.decision, finding)
  return seen && { ...seen.payment, status: seen.decision.status }
}

/** The key is unique for ever: even a bug in the line above cannot credit one payment twice. */
async function credit(tx: Tx, parts: ObserveParts, payment: Payment): Promise<void> {
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

async function tellOf(tx: Tx, payment: Payment, decision: Decision): Promise<void> {
  if (decision.status === payment.status) return
  const { accountId, amountTzs: amount_tzs } = payment
  const about = { payment_id: payment.id, amount_tzs }
  if (decision.status === 'completed') {
    const credits = creditsNumber(payment.creditsMicro)
    await tell(tx, { accountId, type: 'payment.completed', data: { ...about, credits } })
  } else if (decision.status === 'failed') {
    await tell(tx, { accountId, type: 'payment.failed', data: about })
  } else if (decision.status === 'expired') {
    await tell(tx, { accountId, type: 'payment.expired', data: about })
  }
}

function record(log: Log, payment: Payment, decision: Decision, finding: Finding): void {
  const fields = {
    payment_id: payment.id,
    account_id: payment.accountId,
    provider: payment.provider,
  }
  if (decision.review && decision.review !== payment.review) {
    log.error('A payment needs a person to look at it.', { ...fields, reason: decision.review })
  }
  if (decision.status !== payment.status) {
    const reason = decision.late ? 'late_success' : decision.errorCode
    const why = reason === undefined ? {} : { reason }
    log.info(`A payment is ${decision.status}.`, { ...fields, ...why })
  } else if (finding.status === 'unreachable') {
    const attempt = payment.checks
    const { reason } = finding
    log.warn('The payment provider gave no usable answer.', { ...fields, attempt, reason })
  }
}
