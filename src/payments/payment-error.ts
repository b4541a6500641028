/** Why a payment did not succeed. Shown to the customer as `error.code`. */
export type PaymentErrorCode =
  | 'insufficient_funds'
  | 'cancelled_by_payer'
  | 'limit_exceeded'
  | 'invalid_number'
  | 'provider_unavailable'
  | 'rejected'
  | 'timeout'
  | 'amount_mismatch'
  | 'unknown'

/** What the customer reads: our own sentence, never the provider's. */
export function paymentErrorMessage(code: PaymentErrorCode): string {
  return MESSAGES[code] ?? MESSAGES.unknown
}

const MESSAGES: Record<PaymentErrorCode, string> = {
  insufficient_funds: 'Your mobile money balance is too low for this payment.',
  cancelled_by_payer: 'The payment was cancelled on the phone.',
  limit_exceeded: 'The payment exceeds a limit on your mobile money account.',
  invalid_number: 'This phone number cannot make mobile money payments.',
  provider_unavailable: 'We could not reach the mobile network. Please try again.',
  rejected: 'The mobile network rejected the payment.',
  timeout: 'The payment was not confirmed in time.',
  amount_mismatch:
    'The amount received does not match the amount requested. We are looking into it.',
  unknown: 'The payment was not successful.',
}

/** Of an order that was refused outright: `rejected` when the prose says nothing more precise. */
export function refusalCodeFromProse(prose: unknown): PaymentErrorCode {
  const code = errorCodeFromProse(prose)
  return code === 'unknown' ? 'rejected' : code
}

/** Providers explain a failure in prose: only the code drawn from it goes on to the customer. */
export function errorCodeFromProse(prose: unknown): PaymentErrorCode {
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
