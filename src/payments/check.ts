import type { Db } from '../db/db.ts'
import type { ObserveParts } from './observe.ts'
import { observe } from './observe.ts'
import type { Payment } from './payments-store.ts'
import { claimOne } from './payments-store.ts'
import type { PaymentPort } from './port.ts'
import type { Finding } from './transition.ts'
import { SUBMIT_WINDOW_MS } from './transition.ts'

export type CheckParts = ObserveParts & { ports: ReadonlyMap<string, PaymentPort> }

/**
 * One look at a payment that this process has claimed: ask the provider, with no transaction open,
 * and bring what it says to `observe`. The first look of all is what creates it at the provider.
 */
export async function look(parts: CheckParts, payment: Payment): Promise<Payment | undefined> {
  const port = parts.ports.get(payment.provider)
  if (!port) return undefined
  await parts.onStep('claimed')
  return observe(parts, payment.id, await ask(port, payment))
}

/** Looks while it is due: a hint that comes during a look makes it due again. */
export async function lookWhileDue(parts: CheckParts & { db: Db }, id: string): Promise<void> {
  for (let round = 0; round < 3; round++) {
    const payment = await claimOne(parts.db, id, parts.timing.leaseS)
    if (!payment) return
    await look(parts, payment)
  }
}

/** Until the provider is known to have it, the same create again is the surest question. */
async function ask(port: PaymentPort, payment: Payment): Promise<Finding> {
  const submitting =
    payment.status === 'pending' &&
    !payment.accepted &&
    Date.now() < payment.createdAt.getTime() + SUBMIT_WINDOW_MS
  if (!submitting) return port.status(payment)
  const created = await port.create(payment)
  if (created.kind === 'accepted') return created.observation
  if (created.kind === 'refused') return { status: 'refused', code: created.code }
  return { status: 'unreachable', reason: created.reason }
}
