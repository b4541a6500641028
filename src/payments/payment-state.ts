import type { PaymentErrorCode } from './payment-error.ts'
import type { Observation } from './provider.ts'

/** What is known of a payment before something new is learned about it. */
export type PaymentState = {
  status: PaymentStatus
  providerRef: string | undefined
  /** The provider is known to have it. */
  accepted: boolean
  amountTzs: number
  currency: string
  createdAt: Date
  expiresAt: Date
}

export type PaymentStatus = 'pending' | 'completed' | 'failed' | 'expired'

/** What was learned by asking the provider; of a create also that it was refused outright. */
export type Finding = Observation | { status: 'refused'; code: PaymentErrorCode }

export type Decision = {
  status: PaymentStatus
  /** True on the one step into `completed`: that step, and no other, adds credits. */
  credit: boolean
  late: boolean
  accepted: boolean
  providerRef: string | undefined
  network: string | undefined
  errorCode: PaymentErrorCode | undefined
  review: ReviewReason | undefined
  /** Never checked again: the payer was not asked, so no money can come. */
  closed: boolean
}

type ReviewReason = 'amount_mismatch' | 'currency_mismatch' | 'reference_mismatch' | 'reversed'

export const SUBMIT_WINDOW_MS = 5 * 60_000

/**
 * Whether a create that may not have arrived is to be sent again, under the same reference. `now`
 * is the database's time, here as in `decide`: on two clocks, the payment could be given up while
 * its create is still being sent.
 */
export function isSubmitting(state: PaymentState, now: Date): boolean {
  const open = now.getTime() < state.createdAt.getTime() + SUBMIT_WINDOW_MS
  return state.status === 'pending' && !state.accepted && open
}

/** The whole life of a payment. Nothing leaves `completed`; money that comes late still counts. */
export function decide(state: PaymentState, finding: Finding, now: Date): Decision {
  const same = unchanged(state)
  switch (finding.status) {
    case 'unreachable':
      return same
    case 'refused':
      return state.status === 'pending' && !state.accepted
        ? { ...same, status: 'failed', errorCode: finding.code, closed: true }
        : same
    case 'not_found':
      return whenNotFound(state, now)
    default:
      return whenFound(state, finding, now)
  }
}

/** The provider does not know it. While the create may still arrive, that means nothing. */
function whenNotFound(state: PaymentState, now: Date): Decision {
  if (state.status === 'pending' && !state.accepted && !isSubmitting(state, now)) {
    return { ...unchanged(state), status: 'failed', errorCode: 'provider_unavailable' }
  }
  return expiredOrSame(state, now)
}

type Found = Exclude<Observation, { status: 'not_found' } | { status: 'unreachable' }>

function whenFound(state: PaymentState, found: Found, now: Date): Decision {
  const { providerRef } = state
  if (providerRef && found.providerRef && providerRef !== found.providerRef) {
    return { ...expiredOrSame(state, now), review: 'reference_mismatch' }
  }
  const known = {
    accepted: true,
    providerRef: providerRef ?? found.providerRef,
    network: found.network,
  }
  if (state.status === 'completed') {
    const review = found.status === 'failed' ? ('reversed' as const) : undefined
    return { ...unchanged(state), review }
  }
  if (found.status === 'completed') return { ...whenPaid(state, found, now), ...known }
  if (state.status !== 'pending') return { ...unchanged(state), ...known }
  if (found.status === 'failed') {
    const errorCode = found.failure ?? 'unknown'
    return { ...unchanged(state), ...known, status: 'failed', errorCode }
  }
  if (found.status === 'expired') {
    return { ...unchanged(state), ...known, status: 'expired', errorCode: 'timeout' }
  }
  return { ...expiredOrSame(state, now), ...known }
}

function whenPaid(state: PaymentState, found: Found, now: Date): Decision {
  const review =
    found.amountTzs !== state.amountTzs
      ? 'amount_mismatch'
      : found.currency !== state.currency
        ? 'currency_mismatch'
        : undefined
  if (review) {
    const decision = expiredOrSame(state, now)
    const expired = decision.status !== state.status
    return { ...decision, review, errorCode: expired ? 'amount_mismatch' : decision.errorCode }
  }
  const late = state.status !== 'pending'
  return { ...unchanged(state), status: 'completed', credit: true, late }
}

function expiredOrSame(state: PaymentState, now: Date): Decision {
  const over = state.status === 'pending' && now >= state.expiresAt
  return over ? { ...unchanged(state), status: 'expired', errorCode: 'timeout' } : unchanged(state)
}

function unchanged(state: PaymentState): Decision {
  return {
    status: state.status,
    credit: false,
    late: false,
    accepted: state.accepted,
    providerRef: state.providerRef,
    network: undefined,
    errorCode: undefined,
    review: undefined,
    closed: false,
  }
}
