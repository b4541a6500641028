import type { Tx } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import { isUuid } from '../lib/ids.ts'
import type { CheckParts } from './check.ts'
import type { Payment } from './payments-store.ts'
import { findById, findByProviderRef, findByReference, markDue } from './payments-store.ts'
import type { CallbackHeaders, Hint } from './port.ts'

export type IncomingCallback = { provider: string; rawBody: Buffer; headers: CallbackHeaders }

/**
 * A callback is a hint. Once it is known to be authentic and to speak of one of our payments, it
 * makes that payment due, durably, and is acknowledged; what happened is then asked, not believed.
 * Returns the payment to look at, or undefined when the callback was put aside.
 */
export async function takeCallback(
  parts: CheckParts & { clock: Clock },
  incoming: IncomingCallback,
): Promise<string | undefined> {
  const { provider, rawBody, headers } = incoming
  const port = parts.ports.get(provider)
  if (!port) throw new Failure('not_found', 'No such payment provider.')
  const callback = port.readCallback(rawBody, headers, parts.clock.now())
  const refuse = (reason: string, payment?: Payment) =>
    parts.log.warn('A payment callback was refused.', {
      provider,
      reason,
      ...(payment ? { payment_id: payment.id } : {}),
    })
  if (!callback.authentic) {
    refuse(callback.reason)
    throw new Failure('unauthorized', 'The callback could not be verified.')
  }
  await parts.onStep('callback_authentic')
  const payment = await locate(parts.db, provider, callback.hint)
  if (!payment) {
    refuse('unknown_reference')
    // It may have overtaken our own commit: not found makes the provider send it again.
    throw new Failure('not_found', 'No such payment.')
  }
  const mismatch = mismatchOf(payment, callback.hint)
  if (mismatch) {
    refuse(mismatch, payment)
    return undefined
  }
  if (payment.status === 'completed') return undefined
  await markDue(parts.db, payment.id)
  await parts.onStep('callback_kept')
  return payment.id
}

async function locate(tx: Tx, provider: string, hint: Hint): Promise<Payment | undefined> {
  if (hint.reference !== undefined) return findByReference(tx, provider, hint.reference)
  const { providerRef, paymentId } = hint
  const byTheirs = providerRef ? await findByProviderRef(tx, provider, providerRef) : undefined
  if (byTheirs || paymentId === undefined || !isUuid(paymentId)) return byTheirs
  // Their reference has not reached us yet: our id, which they send back, leads to the payment.
  const byOurs = await findById(tx, paymentId)
  return byOurs?.provider === provider ? byOurs : undefined
}

function mismatchOf(payment: Payment, hint: Hint): string | undefined {
  const { providerRef } = payment
  const otherId = hint.paymentId !== undefined && hint.paymentId !== payment.id
  const otherRef = hint.providerRef && providerRef && hint.providerRef !== providerRef
  if (otherId || otherRef) return 'reference_mismatch'
  if (hint.currency !== undefined && hint.currency !== payment.currency) return 'currency_mismatch'
  if (hint.amountTzs !== undefined && hint.amountTzs !== payment.amountTzs) return 'amount_mismatch'
  return undefined
}
