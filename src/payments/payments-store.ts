import {
  as,
  bool,
  columns,
  count,
  int,
  int8,
  oneOf,
  optional,
  text,
  time,
  type RowOf,
} from '../db/columns.ts'
import type { Row, Tx } from '../db/db.ts'
import type { PaymentErrorCode } from './payment-error.ts'
import type { PaymentStatus } from './payment-state.ts'

export const PAYMENT = columns({
  id: text,
  accountId: text,
  provider: text,
  reference: text,
  providerRef: optional(text),
  status: oneOf<PaymentStatus>(),
  amountTzs: count,
  currency: text,
  creditsMicro: int8,
  phoneNumber: text,
  network: optional(text),
  errorCode: optional(oneOf<PaymentErrorCode>()),
  review: optional(text),
  reviewSaid: optional(text),
  reviewAt: optional(time),
  /** The operator who has dealt with the review. */
  reviewedBy: optional(text),
  accepted: as('accepted_at is not null', bool),
  /** Since when the provider is known to have it. */
  acceptedAt: optional(time),
  /** The money came after the payment had failed or expired. */
  late: bool,
  /** How often a create was sent, or was about to be. */
  creates: int,
  checks: int,
  createdAt: time,
  updatedAt: time,
  expiresAt: time,
  completedAt: optional(time),
})
export type Payment = RowOf<typeof PAYMENT>

/** A payment, and the database's time when it was read. */
export type TimedPayment = { payment: Payment; now: Date }

export type NewPayment = Pick<
  Payment,
  'id' | 'accountId' | 'provider' | 'reference' | 'amountTzs' | 'creditsMicro' | 'phoneNumber'
> & { createBody: string; expiresInS: number }

export type Waiting = { ofAccount: number; onPhone: number; nextS: number }

/**
 * The payments that wait for a PIN, of an account and on a phone, and when the next of them expires.
 * Until the transaction ends nobody else counts those of the same account or phone.
 */
export async function lockWaitingPayments(
  tx: Tx,
  { accountId, phoneNumber }: { accountId: string; phoneNumber: string },
): Promise<Waiting> {
  await tx.read(
    `select pg_advisory_xact_lock(hashtextextended($1, 2022)),
       pg_advisory_xact_lock(hashtextextended($2, 2023))`,
    [accountId, phoneNumber],
  )
  const [row] = await tx.read(
    `select ${WAITING.list} from payments
     where status = 'pending' and expires_at > now()
       and (account_id = $1::uuid or phone_number = $2)`,
    [accountId, phoneNumber],
  )
  return WAITING.from(row!)
}

const WAITING = columns({
  ofAccount: as('count(*) filter (where account_id = $1::uuid)', count),
  onPhone: as('count(*) filter (where phone_number = $2)', count),
  nextS: as('coalesce(ceil(extract(epoch from min(expires_at) - now())), 0)::int', int),
})

/** Due at once: the first check is what hands it to the provider. */
export async function insertPayment(tx: Tx, payment: NewPayment): Promise<Payment> {
  const [row] = await tx.query(
    `insert into payments (id, account_id, provider, reference, amount_tzs, credits_micro,
       phone_number, create_body, expires_at, next_check_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, now() + make_interval(secs => $9), now())
     returning ${PAYMENT.list}`,
    [
      payment.id,
      payment.accountId,
      payment.provider,
      payment.reference,
      payment.amountTzs,
      payment.creditsMicro,
      payment.phoneNumber,
      payment.createBody,
      payment.expiresInS,
    ],
  )
  return PAYMENT.from(row!)
}

export async function lockPayment(tx: Tx, id: string): Promise<TimedPayment | undefined> {
  const [row] = await tx.read(
    `select ${PAYMENT.list}, now() as db_now from payments where id = $1 for update`,
    [id],
  )
  return row && timedPaymentOf(row)
}

/** Asked after the lock: a restoration waits for it, or has committed. */
export async function isOfDeleted(tx: Tx, { accountId }: Payment): Promise<boolean> {
  const rows = await tx.read('select 1 from accounts where id = $1 and deleted_at is not null', [
    accountId,
  ])
  return rows.length > 0
}

export type PaymentChange = {
  id: string
  status: PaymentStatus
  providerRef: string | undefined
  accepted: boolean
  network: string | undefined
  errorCode: PaymentErrorCode | undefined
  review: string | undefined
  said: string | undefined
  late: boolean
  feeTzs: number | undefined
  nextCheckS: number | undefined
  /** When to check a completed payment again that a callback named during the check. */
  wordS: number
}

/**
 * Ends the check that found it. A hint that came meanwhile stays due: the claim left the row due at
 * the end of its lease, so any other time is a hint's. A finding that differs from the one an
 * operator has dealt with is to be reviewed again. The body of the create names
 * the payer, and is erased when the payment is over.
 */
export async function writeFinding(tx: Tx, change: PaymentChange): Promise<void> {
  await tx.query(
    `update payments set
       status = $2,
       provider_ref = coalesce(provider_ref, $3),
       accepted_at = coalesce(accepted_at, case when $4::boolean then now() end),
       network = coalesce($5, network),
       error_code = case when $2 = 'completed' then null else coalesce($6, error_code) end,
       review = coalesce($7, review),
       review_said = case when $7 is null then review_said else $10 end,
       review_at = case when ${NEW_REVIEW} then now() else review_at end,
       reviewed_at = case when ${NEW_REVIEW} then null else reviewed_at end,
       reviewed_by = case when ${NEW_REVIEW} then null else reviewed_by end,
       create_body = case when $2 = 'pending' then create_body end,
       payer_name = case when $2 = 'pending' then payer_name else '' end,
       payer_email = case when $2 = 'pending' then payer_email end,
       late = late or $8,
       fee_tzs = coalesce(fee_tzs, $12),
       completed_at = case when $2 = 'completed' then coalesce(completed_at, ${CREDITED_AT}, now()) end,
       updated_at = case when status = $2 then updated_at else now() end,
       checks = case when status = $2 then checks else 0 end,
       checking_until = null,
       next_check_at = case
         when $9::float8 is null then case
           when $2 = 'completed' and next_check_at is distinct from checking_until
           then now() + make_interval(secs => $11::float8) end
         when next_check_at <= now() then next_check_at
         else now() + make_interval(secs => $9::float8) end
     where id = $1`,
    [
      change.id,
      change.status,
      change.providerRef ?? null,
      change.accepted,
      change.network ?? null,
      change.errorCode ?? null,
      change.review ?? null,
      change.late,
      change.nextCheckS ?? null,
      change.said ?? null,
      change.wordS,
      change.feeTzs ?? null,
    ],
  )
}

/** Adds a payment that was completed to all that was ever paid in. */
export async function addReceived(tx: Tx, payment: Payment): Promise<void> {
  const { provider, amountTzs, creditsMicro } = payment
  await tx.query(
    `insert into received_sums as sums (provider, payments, amount_tzs, credits_micro)
     values ($1, 1, $2, $3)
     on conflict (provider) do update set payments = sums.payments + 1,
       amount_tzs = sums.amount_tzs + excluded.amount_tzs,
       credits_micro = sums.credits_micro + excluded.credits_micro`,
    [provider, amountTzs, creditsMicro],
  )
}

/** The very time of the credits, so that a month has the same payments in every list. */
const CREDITED_AT = "(select created_at from ledger_entries where key = 'topup:' || $1::uuid::text)"
const NEW_REVIEW =
  '($7::text is not null and (review, review_said) is distinct from ($7, $10::text))'
const ASKED_AGAIN =
  "asked_again_at = case when status = 'completed' then now() else asked_again_at end"

/** Claims due payments for `leaseS`, in which nobody else checks them. */
export async function claimDue(
  tx: Tx,
  claim: { providers: string[]; limit: number; leaseS: number },
): Promise<TimedPayment[]> {
  const rows = await tx.query(
    `update payments set checks = checks + 1, ${ASKED_AGAIN},
       checking_until = now() + make_interval(secs => $3),
       next_check_at = now() + make_interval(secs => $3)
     where id in (
       select id from payments
       where next_check_at <= now() and provider = any($1)
         and (checking_until is null or checking_until <= now())
       order by next_check_at limit $2 for update skip locked)
     returning ${PAYMENT.list}, now() as db_now`,
    [claim.providers, claim.limit, claim.leaseS],
  )
  return rows.map(timedPaymentOf)
}

/** As `claimDue`, for one payment: undefined when it is not due or someone else has it. */
export async function claimOne(
  tx: Tx,
  id: string,
  leaseS: number,
): Promise<TimedPayment | undefined> {
  const [row] = await tx.query(
    `update payments set checks = checks + 1, ${ASKED_AGAIN},
       checking_until = now() + make_interval(secs => $2),
       next_check_at = now() + make_interval(secs => $2)
     where id = $1 and next_check_at <= now()
       and (checking_until is null or checking_until <= now())
     returning ${PAYMENT.list}, now() as db_now`,
    [id, leaseS],
  )
  return row && timedPaymentOf(row)
}

/**
 * Before a create is sent: which one it is, and what it says. Undefined when there is none to send,
 * because the payment has been accepted or has ended meanwhile.
 */
export async function countCreate(
  tx: Tx,
  id: string,
): Promise<{ nth: number; body: string } | undefined> {
  const [row] = await tx.query<{ nth: number; body: string }>(
    `update payments set creates = creates + 1
     where id = $1 and status = 'pending' and accepted_at is null and create_body is not null
     returning creates as nth, create_body as body`,
    [id],
  )
  return row
}

/** For a check without a claim: the operator may ask about any payment at any time. */
export async function readForCheck(tx: Tx, id: string): Promise<TimedPayment | undefined> {
  const [row] = await tx.read(
    `select ${PAYMENT.list}, now() as db_now from payments where id = $1`,
    [id],
  )
  return row && timedPaymentOf(row)
}

/**
 * Stores a hint: the payment is due now, even if this process dies. A completed payment becomes due
 * at most once in `wordS`, so that a flood of callbacks does not become a flood of checks.
 */
export async function markDue(tx: Tx, id: string, wordS: number): Promise<void> {
  await tx.query(
    `update payments set next_check_at = case when status = 'completed'
       then greatest(now(), asked_again_at + make_interval(secs => $2)) else now() end
     where id = $1`,
    [id, wordS],
  )
}

const DB_NOW = columns({ dbNow: time })

function timedPaymentOf(row: Row): TimedPayment {
  return { payment: PAYMENT.from(row), now: DB_NOW.from(row).dbNow }
}
