import type { FindingParts } from './apply-finding.ts'
import { applyFinding } from './apply-finding.ts'
import type { Finding } from './payment-state.ts'
import { isSubmitting } from './payment-state.ts'
import type { Payment, TimedPayment } from './payments-store.ts'
import { claimDue, claimOne } from './payments-store.ts'
import type { PaymentProvider } from './provider.ts'

export type CheckParts = FindingParts & { providers: ReadonlyMap<string, PaymentProvider> }

/**
 * Asks the provider about one payment, with no transaction open, and applies what it answers. The
 * first check of all is what creates the payment at the provider.
 */
export async function checkPayment(
  parts: CheckParts,
  timed: TimedPayment,
): Promise<Payment | undefined> {
  const { payment } = timed
  const provider = parts.providers.get(payment.provider)
  if (!provider) return undefined
  await parts.onStep('claimed')
  return applyFinding(parts, payment.id, await ask(provider, timed))
}

/** Checks while it is due: a hint that comes during a check makes it due again. */
export async function checkWhileDue(parts: CheckParts, id: string): Promise<void> {
  for (let round = 0; round < 3; round++) {
    const claimed = await claimOne(parts.db, id, parts.timing.leaseS)
    if (!claimed) return
    await checkPayment(parts, claimed)
  }
}

const BATCH = 10

/**
 * Checks every payment that is due, a batch at a time, until none is left. Any number of processes
 * may do this at once; a claim that dies with its process is taken over.
 */
export async function checkAllDue(parts: CheckParts, signal: AbortSignal): Promise<void> {
  const providers = [...parts.providers.keys()]
  const claim = { providers, limit: BATCH, leaseS: parts.timing.leaseS }
  while (!signal.aborted) {
    const due = await claimDue(parts.db, claim)
    const checks = await Promise.allSettled(due.map((claimed) => checkPayment(parts, claimed)))
    // The first error goes to the job loop; the rows stay claimed and come due again.
    for (const check of checks) if (check.status === 'rejected') throw check.reason
    if (due.length < BATCH) return
  }
}

/** Until the provider is known to have the payment, the safest check is to send the same create again. */
async function ask(provider: PaymentProvider, { payment, now }: TimedPayment): Promise<Finding> {
  if (!isSubmitting(payment, now)) return provider.status(payment)
  const created = await provider.create(payment)
  if (created.kind === 'accepted') return created.observation
  if (created.kind === 'refused') return { status: 'refused', code: created.code }
  return { status: 'unreachable', reason: created.reason }
}
