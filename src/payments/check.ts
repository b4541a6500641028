import type { Db } from '../db/db.ts'
import type { FindingParts } from './apply-finding.ts'
import { applyFinding } from './apply-finding.ts'
import type { Finding } from './payment-state.ts'
import { isSubmitting } from './payment-state.ts'
import type { Payment, TimedPayment } from './payments-store.ts'
import { claimDue, claimOne, countCreate } from './payments-store.ts'
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
  return applyFinding(parts, payment.id, await ask(parts.db, provider, timed))
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

/**
 * Until the provider is known to have the payment, the safest check is to send the same create
 * again. Each try is counted before it is sent: when one is refused that was not the only one, the
 * provider is asked what it knows, since another may have reached the payer's phone.
 */
async function ask(
  db: Db,
  provider: PaymentProvider,
  { payment, now }: TimedPayment,
): Promise<Finding> {
  const create = isSubmitting(payment, now) ? await countCreate(db, payment.id) : undefined
  if (create === undefined) return provider.status(payment)
  const created = await provider.create(payment, create.body)
  if (created.kind === 'accepted') return created.observation
  if (created.kind === 'unknown') return { status: 'unreachable', reason: created.reason }
  if (create.nth > 1) return provider.status(payment)
  return { status: 'refused', code: created.code }
}
