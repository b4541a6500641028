import { randomBytes } from 'node:crypto'
import type { Db } from '../db/db.ts'
import type { Keep } from '../lib/answer.ts'
import { decimal, times } from '../lib/decimal.ts'
import { Failure, invalidField } from '../lib/failure.ts'
import { uuidv7 } from '../lib/ids.ts'
import { lockClaim, storeAnswer } from '../idempotency/replay-store.ts'
import type { Payment, Waiting } from './payments-store.ts'
import { insertPayment, lockWaitingPayments } from './payments-store.ts'
import type { PaymentOrder, PaymentProvider } from './provider.ts'

/** Who pays, as the account says. */
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

/** The same rules, as the environment names them. */
export type TopUpSettings = {
  TOPUP_MIN_TZS: number
  TOPUP_MAX_TZS: number
  TOPUP_CREDITS_PER_TZS: string
  TOPUP_EXPIRY_MINUTES: number
  TOPUP_REQUIRE_VERIFIED_PHONE: boolean
}

export function topUpRules(settings: TopUpSettings): TopUpRules {
  return {
    minTzs: settings.TOPUP_MIN_TZS,
    maxTzs: settings.TOPUP_MAX_TZS,
    creditsPerTzs: settings.TOPUP_CREDITS_PER_TZS,
    requireVerifiedPhone: settings.TOPUP_REQUIRE_VERIFIED_PHONE,
    expiresInS: settings.TOPUP_EXPIRY_MINUTES * 60,
  }
}

export type TopUpParts = {
  db: Db
  provider: PaymentProvider
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
 * Commits the payment before the provider hears of it, together with the answer that a retry will
 * get: from here on, whatever crashes, there is one payment with one reference.
 */
export async function openPayment(parts: TopUpParts, topUp: TopUp): Promise<Payment> {
  const { rules } = parts
  checkAmount(rules, topUp.amountTzs)
  const payer = await parts.payerOf(topUp.accountId)
  const order = newOrder(topUp.amountTzs, payingPhone(rules, payer))
  const { name: payerName, email: payerEmail } = payer
  const createBody = parts.provider.createBody({ ...order, payerName, payerEmail })
  const { keep } = topUp
  return parts.db.begin(async (tx) => {
    if (keep && !(await lockClaim(tx, keep.claim))) throw takenOver()
    checkWaiting(await lockWaitingPayments(tx, { accountId: topUp.accountId, ...order }), payer)
    const payment = await insertPayment(tx, {
      ...order,
      accountId: topUp.accountId,
      provider: parts.provider.name,
      creditsMicro: creditsFor(topUp.amountTzs, rules.creditsPerTzs),
      createBody,
      expiresInS: rules.expiresInS,
    })
    if (keep) await storeAnswer(tx, { claim: keep.claim, answer: keep.answer(payment) })
    return payment
  })
}

/** Each is a prompt on somebody's phone. */
const MOST_WAITING = 5

/**
 * Who has verified the phone is not kept from topping up by others who name it: there only the own
 * payments count.
 */
function checkWaiting({ ofAccount, onPhone, nextS }: Waiting, { phoneVerified }: Payer): void {
  const waiting = phoneVerified ? ofAccount : Math.max(ofAccount, onPhone)
  if (waiting < MOST_WAITING) return
  throw new Failure(
    'rate_limited',
    `phone_number: ${MOST_WAITING} payments wait for the PIN already. Confirm or decline one on the phone, or wait until it expires.`,
    { param: 'phone_number', retryAfterS: Math.max(1, nextS) },
  )
}

function newOrder(amountTzs: number, phoneNumber: string): PaymentOrder {
  const [id, reference] = [uuidv7(), newReference()]
  return { id, reference, providerRef: undefined, amountTzs, currency: 'TZS', phoneNumber }
}

/** This process was stopped for so long that a retry has taken the key and makes the payment. */
function takenOver(): Failure {
  return new Failure('unavailable', 'The request was interrupted. Please send it again.', {
    retryAfterS: 1,
  })
}

/** 20 of [0-9A-Z], 100 bits: fits an order reference and an idempotency key at every provider. */
export function newReference(): string {
  return [...randomBytes(20)].map((byte) => CROCKFORD[byte & 31]).join('')
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** Rounded down to the microcredit; with up to six decimals in the rate there is nothing to round. */
export function creditsFor(amountTzs: number, creditsPerTzs: string): bigint {
  const { units, scale } = times(decimal(amountTzs), decimal(creditsPerTzs), decimal(1_000_000))
  return units / 10n ** BigInt(scale)
}

/** What has to be paid for so much, in whole shillings. */
export function tzsFor(micro: bigint, creditsPerTzs: string): number {
  const { units, scale } = times(decimal(creditsPerTzs), decimal(1_000_000))
  const needed = micro * 10n ** BigInt(scale)
  return Number((needed + units - 1n) / units)
}

function checkAmount({ minTzs, maxTzs }: TopUpRules, amountTzs: number): void {
  if (Number.isSafeInteger(amountTzs) && amountTzs >= minTzs && amountTzs <= maxTzs) return
  throw invalidField('amount_tzs', `must be a whole number from ${minTzs} to ${maxTzs}`)
}

function payingPhone(rules: TopUpRules, payer: Payer): string {
  const param = 'phone_number'
  const { phoneNumber } = payer
  if (phoneNumber === undefined) {
    throw new Failure('invalid', 'Add a phone_number to your account to top up.', { param })
  }
  if (!/^\+255[67]\d{8}$/.test(phoneNumber)) {
    throw invalidField(param, 'must be a Tanzanian mobile number to top up')
  }
  if (rules.requireVerifiedPhone && !payer.phoneVerified) {
    throw new Failure('forbidden', 'Verify the phone_number of your account to top up.', { param })
  }
  return phoneNumber
}
