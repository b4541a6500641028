import type { FailureCode, Observation } from './port.ts'

/** What is known of a payment when something new is learned of it. */
export type Standing = {
  status: PaymentStatus
  providerRef: string | undefined
  accepted: boolean
  amountTzs: number
  currency: string
  createdAt: Date
  expiresAt: Date
}

export type PaymentStatus = 'pending' | 'completed' | 'failed' | 'expired'

/** What was learned, by asking the provider: of a create also that it refused outright. */
export type Finding = Observation | { status: 'refused'; code: FailureCode }

export type Decision = {
  status: PaymentStatus
  /** True on the one step into `completed`: that step, and no other, brings credits. */
  credit: boolean
  late: boolean
  accepted: boolean
  providerRef: string | undefined
  network: string | undefined
  errorCode: FailureCode | undefined
  review: Review | undefined
  /** Never looked at again: nothing was pushed, nothing can come. */
  closed: boolean
}

type Review = 'amount_mismatch' | 'currency_mismatch' | 'reference_mismatch' | 'reversed'

/** For so long a create that may not have arrived is tried again, by the same reference. */
export const SUBMIT_WINDOW_MS = 5 * 60_000

/** The whole life of a payment. Nothing leaves `completed`; money that came late still counts. */
export function decide(standing: Standing, finding: Finding, now: Date): Decision {
  const same = unchanged(standing)
  switch (finding.status) {
    case 'unreachable':
      return same
    case 'refused':
      return standing.status === 'pending' && !standing.accepted
        ? { ...same, status: 'failed', errorCode: finding.code, closed: true }
        : same
    case 'not_found':
      return missing(standing, now)
    default:
      return found(standing, finding, now)
  }
}

type Found = Exclude<Observation, { status: 'not_found' } | { status: 'unreachable' }>

function found(standing: Standing, seen: Found, now: Date): Decision {
  const { providerRef } = standing
  if (providerRef && seen.providerRef && providerRef !== seen.providerRef) {
    return { ...expiring(standing, now), review: 'reference_mismatch' }
  }
  const known = {
    accepted: true,
    providerRef: providerRef ?? seen.providerRef,
    network: seen.network,
  }
  if (standing.status === 'completed') {
    const review = seen.status === 'failed' ? ('reversed' as const) : undefined
    return { ...unchanged(standing), review }
  }
  if (seen.status === 'completed') return { ...paid(standing, seen, now), ...known }
  if (standing.status !== 'pending') return { ...unchanged(standing), ...known }
  if (seen.status === 'failed') {
    const errorCode = seen.failure ?? 'unknown'
    return { ...unchanged(standing), ...known, status: 'failed', errorCode }
  }
  if (seen.status === 'expired') {
    return { ...unchanged(standing), ...known, status: 'expired', errorCode: 'timeout' }
  }
  return { ...expiring(standing, now), ...known }
}

function paid(standing: Standing, seen: Found, now: Date): Decision {
  const review =
    seen.amountTzs !== standing.amountTzs
      ? 'amount_mismatch'
      : seen.currency !== standing.currency
        ? 'currency_mismatch'
        : undefined
  if (review) {
    const decision = expiring(standing, now)
    const expired = decision.status !== standing.status
    return { ...decision, review, ...(expired ? { errorCode: 'amount_mismatch' } : {}) }
  }
  const late = standing.status !== 'pending'
  return { ...unchanged(standing), status: 'completed', credit: true, late }
}

/** The provider has never heard of it. While it may still be on its way, that means nothing. */
function missing(standing: Standing, now: Date): Decision {
  const tried = now.getTime() >= standing.createdAt.getTime() + SUBMIT_WINDOW_MS
  if (standing.status === 'pending' && !standing.accepted && tried) {
    return { ...unchanged(standing), status: 'failed', errorCode: 'provider_unavailable' }
  }
  return expiring(standing, now)
}

function expiring(standing: Standing, now: Date): Decision {
  const over = standing.status === 'pending' && now >= standing.expiresAt
  return over
    ? { ...unchanged(standing), status: 'expired', errorCode: 'timeout' }
    : unchanged(standing)
}

function unchanged(standing: Standing): Decision {
  return {
    status: standing.status,
    credit: false,
    late: false,
    accepted: standing.accepted,
    providerRef: standing.providerRef,
    network: undefined,
    errorCode: undefined,
    review: undefined,
    closed: false,
  }
}
