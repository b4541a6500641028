import type { CheckParts } from './check.ts'
import { look } from './check.ts'
import { claimDue } from './payments-store.ts'

const BATCH = 10

/**
 * The second source: asks about every payment that is due, a batch at a time, until none is left.
 * Any number of processes may do this at once; a claim that dies with its process is taken over.
 */
export async function reconcile(parts: CheckParts, signal: AbortSignal): Promise<void> {
  const providers = [...parts.ports.keys()]
  const claim = { providers, limit: BATCH, leaseS: parts.timing.leaseS }
  while (!signal.aborted) {
    const due = await claimDue(parts.db, claim)
    const looks = await Promise.allSettled(due.map((payment) => look(parts, payment)))
    // The first trouble goes to the job loop; the rows stay claimed and come due again.
    for (const one of looks) if (one.status === 'rejected') throw one.reason
    if (due.length < BATCH) return
  }
}
