import { Fault } from './fault.ts'

/**
 * After a failure: may the upstream have taken the request all the same? Then only the same
 * upstream may be asked again, with the same idempotency key.
 */
export function maybeAccepted(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined
  return cause instanceof Fault && !NEVER_ACCEPTED.has(cause.kind)
}

const NEVER_ACCEPTED: ReadonlySet<string> = new Set(['refused', 'status', 'redirect'])
