import type { PaymentErrorCode } from './payment-error.ts'

/**
 * What every mobile money provider must be able to do. A payment changes only by what a provider
 * answers to `create` and `status`; a callback is no more than a hint to ask.
 */
export type PaymentProvider = {
  /** Stored with each payment and part of its callback's address. */
  readonly name: string
  /** What `create` is to send: made once, when the payment is opened, and stored with it. */
  createBody(order: NewOrder): string
  /**
   * Asks the payer's phone for the money. Sending the same body again never asks twice: the
   * provider knows our reference, and the second call answers what became of the first.
   */
  create(order: PaymentOrder, body: string): Promise<CreateResult>
  status(order: PaymentOrder): Promise<Observation>
  /** Pure: checks the signature over the raw body and the time stamp, and says what it is about. */
  readCallback(rawBody: Buffer, headers: CallbackHeaders, now: Date): CallbackReading
}

export type CallbackHeaders = Record<string, string | string[] | undefined>

/** What a payment is known by, here and at the provider. */
export type PaymentOrder = {
  id: string
  /** Ours: 20 of [0-9A-Z], made once, stored before the provider hears of it. */
  reference: string
  /** Theirs, once known. */
  providerRef: string | undefined
  amountTzs: number
  currency: string
  /** E.164. */
  phoneNumber: string
}

/** What only the create tells of the payer is kept in its body alone. */
export type NewOrder = PaymentOrder & { payerName: string; payerEmail: string | undefined }

export type CreateResult =
  | { kind: 'accepted'; observation: Observation }
  /** This try reached no phone. An earlier one, of which we do not know, MAY have. */
  | { kind: 'refused'; code: PaymentErrorCode }
  /** No answer, or none that can be read: the payer's phone MAY ring. */
  | { kind: 'unknown'; reason: string }

export type Found = {
  /** `reversed`: it was paid, and the money has gone back. */
  status: 'pending' | 'completed' | 'failed' | 'expired' | 'reversed'
  amountTzs: number | undefined
  currency: string | undefined
  providerRef: string | undefined
  network: string | undefined
  failure: PaymentErrorCode | undefined
  /** What the provider keeps of it, if it says so. */
  feeTzs?: number | undefined
  /** The provider's own word for the status. */
  said: string | undefined
}

export type Observation =
  | Found
  | { status: 'not_found' }
  /** `said`: it answered with a status that is not documented. */
  | { status: 'unreachable'; reason: string; said?: string | undefined }

export type CallbackReading =
  | { authentic: true; hint: CallbackHint }
  | { authentic: false; reason: CallbackRefusal }

/** Which payment to check, and what the callback claims, to be compared with our own row. */
export type CallbackHint = {
  paymentId: string | undefined
  reference: string | undefined
  providerRef: string | undefined
  amountTzs: number | undefined
  currency: string | undefined
}

export type CallbackRefusal =
  | 'signature_missing'
  | 'signature_wrong'
  | 'timestamp_missing'
  | 'timestamp_stale'
  | 'timestamp_future'
  | 'malformed'

/** How far a callback's time stamp may be from our clock, before or after. */
const FRESH_S = 300

/** Undefined when the time stamp is recent enough. */
export function timestampProblem(atMs: number, now: Date): CallbackRefusal | undefined {
  if (!Number.isFinite(atMs)) return 'timestamp_missing'
  const ageS = (now.getTime() - atMs) / 1000
  if (ageS > FRESH_S) return 'timestamp_stale'
  if (ageS < -FRESH_S) return 'timestamp_future'
  return undefined
}
