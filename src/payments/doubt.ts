import { statusWord } from './provider-http.ts'
import type { Found, Observation } from './provider.ts'

/**
 * Why a person should look at a payment. `unconfirmed`: it was completed, and no longer is.
 * `account_deleted`: it was paid after that, and is not credited unless the account is restored.
 */
export type ReviewReason =
  | 'account_deleted'
  | 'amount_mismatch'
  | 'currency_mismatch'
  | 'reference_mismatch'
  | 'reversed'
  | 'unconfirmed'

/** What the payment was to be. */
type Ordered = { amountTzs: number; currency: string; providerRef: string | undefined }

/** What in an answer of the provider speaks against a payment that was completed, if anything. */
export function doubtOf(
  ordered: Ordered,
  answer: Exclude<Observation, { status: 'unreachable' }>,
): { review: ReviewReason; said: string } | undefined {
  if (answer.status === 'not_found') return { review: 'unconfirmed', said: 'not found' }
  const review = isOther(ordered, answer) ? 'reference_mismatch' : reasonIn(ordered, answer)
  return review && { review, said: saidBy(answer) }
}

function reasonIn(ordered: Ordered, found: Found): ReviewReason | undefined {
  if (found.status === 'completed') return mismatchOf(ordered, found)
  return found.status === 'failed' || found.status === 'reversed' ? 'reversed' : 'unconfirmed'
}

export function isOther({ providerRef }: Ordered, found: Found): boolean {
  return Boolean(providerRef && found.providerRef && providerRef !== found.providerRef)
}

export function mismatchOf(ordered: Ordered, found: Found): ReviewReason | undefined {
  if (found.amountTzs !== ordered.amountTzs) return 'amount_mismatch'
  return found.currency !== ordered.currency ? 'currency_mismatch' : undefined
}

/** For the operator: the provider's word, and the money it names. */
export function saidBy({ said, status, amountTzs, currency }: Found): string {
  const money = amountTzs === undefined ? [] : [statusWord(currency) ?? '', String(amountTzs)]
  return [said ?? status, ...money].filter((part) => part !== '').join(' ')
}
