import type { ReviewReason } from './doubt.ts'
import { doubtOf, isOther, mismatchOf, saidBy } from './doubt.ts'
import type { PaymentErrorCode } from './payment-error.ts'
import type { Found, Observation } from './provider.ts'

/** What is known of a payment before something new is learned about it. */
export type PaymentState = {
  status: PaymentStatus
  providerRef: string | undefined
  /** The provider is known to have it. */
  accepted: boolean
  /** How often a create was sent, or was about to be. */
  creates: number
  amountTzs: number
  currency: string
  createdAt: Date
  expiresAt: Date
  /** Not to be credited: the account was deleted, and not restored since. */
  accountDeleted: boolean
}

export type PaymentStatus = 'pending' | 'completed' | 'failed' | 'expired'

/** What was learned by asking the provider; of the first create also that it was refused outright. */
export type Finding = Observation | { status: 'refused'; code: PaymentErrorCode }

export type Decision = {
  status: PaymentStatus
  /** True for the step into `completed`, the only one that adds credits. */
  credit: boolean
  late: boolean
  accepted: boolean
  providerRef: string | undefined
  network: string | undefined
  errorCode: PaymentErrorCode | undefined
  review: ReviewReason | undefined
  /** With `review`: what the provider answered. */
  said: string | undefined
  /** A callback announced a change that the provider has not confirmed yet. */
  unanswered: boolean
  /** Never checked again: the payer was not asked, so no money can come. */
  closed: boolean
}

export const SUBMIT_WINDOW_MS = 5 * 60_000

/**
 * Whether a create that may not have arrived is to be sent again, under the same reference. `now`
 * is the database's time, here as in `decide`: on two clocks, the payment could be given up while
 * its create is still being sent.
 */
export function isSubmitting(
  state: Pick<PaymentState, 'status' | 'accepted' | 'createdAt'>,
  now: Date,
): boolean {
  const open = now.getTime() < state.createdAt.getTime() + SUBMIT_WINDOW_MS
  return state.status === 'pending' && !state.accepted && open
}

/** How a payment changes. Nothing leaves `completed`; money that comes late still counts. */
export function decide(state: PaymentState, finding: Finding, now: Date): Decision {
  const same = unchanged(state)
  if (state.status === 'completed') return whenCompleted(state, finding)
  switch (finding.status) {
    case 'unreachable':
      return same
    case 'refused':
      return state.status === 'pending' && !state.accepted && state.creates === 1
        ? { ...same, status: 'failed', errorCode: finding.code, closed: true }
        : same
    case 'not_found':
      return whenNotFound(state, now)
    default:
      return whenFound(state, finding, now)
  }
}

/**
 * Nothing leaves `completed`, and credits are never taken back automatically: an answer that no
 * longer confirms the payment is marked for review. One that confirms it changes nothing.
 */
function whenCompleted(state: PaymentState, finding: Finding): Decision {
  const same = unchanged(state)
  if (finding.status === 'refused') return same
  if (finding.status !== 'unreachable') return { ...same, ...doubtOf(state, finding) }
  const { said } = finding
  return said === undefined
    ? { ...same, unanswered: true }
    : { ...same, review: 'unconfirmed', said }
}

/** The provider does not know it. While the create may still arrive, that means nothing. */
function whenNotFound(state: PaymentState, now: Date): Decision {
  if (state.status === 'pending' && !state.accepted && !isSubmitting(state, now)) {
    return { ...unchanged(state), status: 'failed', errorCode: 'provider_unavailable' }
  }
  return expiredOrSame(state, now)
}

function whenFound(state: PaymentState, found: Found, now: Date): Decision {
  const { providerRef } = state
  const said = saidBy(found)
  if (isOther(state, found)) {
    return { ...expiredOrSame(state, now), review: 'reference_mismatch', said }
  }
  const known = {
    accepted: true,
    providerRef: providerRef ?? found.providerRef,
    network: found.network,
  }
  if (found.status === 'completed') return { ...whenPaid(state, found, now), ...known }
  if (found.status === 'reversed') return { ...whenTakenBack(state, said), ...known }
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
  const said = saidBy(found)
  const review = mismatchOf(state, found)
  if (review) {
    const decision = expiredOrSame(state, now)
    const errorCode = decision.status !== state.status ? 'amount_mismatch' : decision.errorCode
    return { ...decision, review, said, errorCode }
  }
  if (state.accountDeleted) {
    return { ...expiredOrSame(state, now), review: 'account_deleted', said }
  }
  const late = state.status !== 'pending'
  return { ...unchanged(state), status: 'completed', credit: true, late }
}

/** Paid and taken back before we heard of it: no credit, and a person may look. */
function whenTakenBack(state: PaymentState, said: string): Decision {
  const same = { ...unchanged(state), review: 'reversed' as const, said }
  return state.status === 'pending' ? { ...same, status: 'failed', errorCode: 'rejected' } : same
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
    said: undefined,
    unanswered: false,
    closed: false,
  }
}
