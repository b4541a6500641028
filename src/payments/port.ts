/**
 * What every mobile-money provider must be able to do. A provider is asked, never believed unasked:
 * only the answers of `create` and `status` are observations; a callback is a hint to go and ask.
 */
export type PaymentPort = {
  /** Stored with each payment and part of its callback's address. */
  readonly name: string
  /**
   * Asks the payer's phone for the money. Calling again with the same order never asks twice: the
   * provider knows our reference, and the second call answers what became of the first.
   */
  create(order: Order): Promise<Created>
  status(order: Order): Promise<Observation>
  /** Pure: checks the signature over the raw body and the time stamp, and says what it is about. */
  readCallback(rawBody: Buffer, headers: CallbackHeaders, now: Date): Callback
}

export type CallbackHeaders = Record<string, string | string[] | undefined>

/** What the provider is told of a payment. The same order gives the same bytes every time. */
export type Order = {
  id: string
  /** Ours: 20 of [0-9A-Z], made once, stored before the provider hears of it. */
  reference: string
  /** Theirs, once known. */
  providerRef: string | undefined
  amountTzs: number
  currency: string
  /** E.164. */
  phoneNumber: string
  payerName: string
  payerEmail: string | undefined
}

export type Created =
  | { kind: 'accepted'; observation: Observation }
  /** Definite: nothing reached the payer's phone. */
  | { kind: 'refused'; code: FailureCode }
  /** No answer, or none that can be read: the payer's phone MAY ring. */
  | { kind: 'unknown'; reason: string }

export type Observation =
  | {
      status: 'pending' | 'completed' | 'failed' | 'expired'
      amountTzs: number | undefined
      currency: string | undefined
      providerRef: string | undefined
      network: string | undefined
      failure: FailureCode | undefined
    }
  | { status: 'not_found' }
  | { status: 'unreachable'; reason: string }

export type Callback = { authentic: true; hint: Hint } | { authentic: false; reason: RefusalReason }

/** Which payment to look at, and what the callback claims, to be held against our own row. */
export type Hint = {
  paymentId: string | undefined
  reference: string | undefined
  providerRef: string | undefined
  amountTzs: number | undefined
  currency: string | undefined
}

export type RefusalReason =
  | 'signature_missing'
  | 'signature_wrong'
  | 'timestamp_missing'
  | 'timestamp_stale'
  | 'timestamp_future'
  | 'malformed'

export type FailureCode =
  | 'insufficient_funds'
  | 'cancelled_by_payer'
  | 'limit_exceeded'
  | 'invalid_number'
  | 'provider_unavailable'
  | 'rejected'
  | 'timeout'
  | 'amount_mismatch'
  | 'unknown'

/** A callback is fresh for this long, in both directions of the clock. */
const FRESH_S = 300

export function freshness(atMs: number, now: Date): RefusalReason | undefined {
  if (!Number.isFinite(atMs)) return 'timestamp_missing'
  const ageS = (now.getTime() - atMs) / 1000
  if (ageS > FRESH_S) return 'timestamp_stale'
  if (ageS < -FRESH_S) return 'timestamp_future'
  return undefined
}

/** Providers explain a failure in prose. Only our own words go on to the customer. */
export function failureFromProse(prose: unknown): FailureCode {
  const text = typeof prose === 'string' ? prose.toLowerCase() : ''
  if (/insufficient|low balance|not enough/.test(text)) return 'insufficient_funds'
  if (/cancel|declin|void|rejected by (the )?(user|payer|customer)/.test(text)) {
    return 'cancelled_by_payer'
  }
  if (/limit/.test(text)) return 'limit_exceeded'
  if (/number|msisdn|subscriber/.test(text)) return 'invalid_number'
  if (/time.?out|timed out|expired/.test(text)) return 'timeout'
  return 'unknown'
}
