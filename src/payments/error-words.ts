import type { FailureCode } from './port.ts'

/** What the customer reads of a payment that did not come: our words, never the provider's. */
export function errorWords(code: FailureCode): string {
  return WORDS[code] ?? WORDS.unknown
}

const WORDS: Record<FailureCode, string> = {
  insufficient_funds: 'There was not enough money in the mobile wallet.',
  cancelled_by_payer: 'The payment was declined on the phone.',
  limit_exceeded: 'The payment is over a limit of the mobile wallet.',
  invalid_number: 'The phone number cannot pay by mobile money.',
  provider_unavailable: 'The request did not reach the mobile network. Please try again.',
  rejected: 'The mobile network refused the payment.',
  timeout: 'The payment was not confirmed in time.',
  amount_mismatch: 'The money received is not the money asked for. We are looking into it.',
  unknown: 'The payment did not succeed.',
}
