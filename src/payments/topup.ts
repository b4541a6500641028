import { decimal, times } from '../lib/decimal.ts'
import type { Db } from '../db/db.ts'
import type { Keep } from '../lib/answer.ts'
import { Failure } from '../lib/failure.ts'
import { uuidv7 } from '../lib/ids.ts'
import { keepAnswers, lockClaims } from '../replay/replay-store.ts'
import type { Payment } from './payments-store.ts'
import { insertPayment } from './payments-store.ts'
import { newReference } from './reference.ts'

/** Who pays: what the account says of its owner. */
export type Payer = {
  name: string
  email: string | undefined
  phoneNumber: string | undefined
  phoneVerified: boolean
}

export type TopUpRules = {
  minTzs: number
  maxTzs: number
  /** An exact decimal, such as '1' or '0.95'. */
  creditsPerTzs: string
  requireVerifiedPhone: boolean
  expiresInS: number
}

export type TopUpParts = {
  db: Db
  provider: string
  rules: TopUpRules
  payerOf(accountId: string): Promise<Payer>
}

export type TopUp = {
  accountId: string
  amountTzs: number
  /** Present when the request bears an idempotency key. */
  keep: Keep<Payment> | undefined
}

/**
 * Commits the payment before anyone outside hears of it, together with the answer that a retry
 * will get: from here on, whatever dies, there is one payment with one reference.
 */
export async function openPayment(parts: TopUpParts, topUp: TopUp): Promise<Payment> {
  const { rules } = parts
  checkAmount(rules, topUp.amountTzs)
  const payer = await parts.payerOf(topUp.accountId)
  const phoneNumber = payingPhone(rules, payer)
  const { keep } = topUp
  return parts.db.begin(async (tx) => {
    if (keep && (await lockClaims(tx, [keep.claim])).size === 0) throw takenOver()
    const payment = await insertPayment(tx, {
      id: uuidv7(),
      accountId: topUp.accountId,
      provider: parts.provider,
      reference: newReference(),
      amountTzs: topUp.amountTzs,
      creditsMicro: creditsFor(topUp.amountTzs, rules.creditsPerTzs),
      phoneNumber,
      payerName: payer.name,
      payerEmail: payer.email,
      expiresInS: rules.expiresInS,
    })
    if (keep) await keepAnswers(tx, [{ claim: keep.claim, answer: keep.answer(payment) }])
    return payment
  })
}

/** This process was away for so long that a retry has taken the key: that one makes the payment. */
function takenOver(): Failure {
  return new Failure('unavailable', 'The call was interrupted. Send it again.', { retryAfterS: 1 })
}

/** Rounded down to the microcredit; with up to six decimals in the rate there is nothing to round. */
export function creditsFor(amountTzs: number, creditsPerTzs: string): bigint {
  const { units, scale } = times(decimal(amountTzs), decimal(creditsPerTzs), decimal(1_000_000))
  return units / 10n ** BigInt(scale)
}

function checkAmount({ minTzs, maxTzs }: TopUpRules, amountTzs: number): void {
  if (Number.isSafeInteger(amountTzs) && amountTzs >= minTzs && amountTzs <= maxTzs) return
  const message = `amount_tzs must be a whole number from ${minTzs} to ${maxTzs}.`
  throw new Failure('invalid', message, { param: 'amount_tzs' })
}

function payingPhone(rules: TopUpRules, payer: Payer): string {
  const param = 'phone_number'
  const { phoneNumber } = payer
  if (phoneNumber === undefined) {
    throw new Failure('invalid', 'A top-up needs a phone_number on the account.', { param })
  }
  if (!/^\+255[67]\d{8}$/.test(phoneNumber)) {
    const message = 'A top-up needs a Tanzanian mobile phone_number on the account.'
    throw new Failure('invalid', message, { param })
  }
  if (rules.requireVerifiedPhone && !payer.phoneVerified) {
    throw new Failure('forbidden', 'Verify the phone_number of the account first.', { param })
  }
  return phoneNumber
}
