import type { Tx } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import { isUuid } from '../lib/ids.ts'
import type { LogFields } from '../lib/log.ts'
import type { CheckParts } from './check.ts'
import { findById, findByProviderRef, findByReference } from './payments-read-store.ts'
import type { Payment } from './payments-store.ts'
import { markDue } from './payments-store.ts'
import type { CallbackHeaders, CallbackHint } from './provider.ts'

export type IncomingCallback = { provider: string; rawBody: Buffer; headers: CallbackHeaders }

/**
 * A callback is only a hint. Once it is known to be authentic and about one of our payments, that
 * payment is marked due and the callback acknowledged; then the provider is asked what happened.
 * Returns the payment to check, or undefined when there is nothing to do.
 */
export async function takeCallback(
  parts: CheckParts & { clock: Clock },
  incoming: IncomingCallback,
): Promise<string | undefined> {
  const provider = parts.providers.get(incoming.provider)
  if (!provider) throw new Failure('not_found', 'There is no such payment provider.')
  const callback = provider.readCallback(incoming.rawBody, incoming.headers, parts.clock.now())
  const logRefusal = (reason: string, about: LogFields = {}) => {
    const fields = { provider: provider.name, reason, ...about }
    parts.log.warn('A payment callback was refused.', fields)
  }
  if (!callback.authentic) {
    logRefusal(callback.reason)
    throw new Failure('unauthorized', 'The callback could not be verified.')
  }
  await parts.onStep('callback_authentic')
  const payment = await findPayment(parts.db, provider.name, callback.hint)
  if (!payment) {
    logRefusal('unknown_reference')
    // It may have arrived before our own commit: a 404 makes the provider send it again.
    throw new Failure('not_found', 'There is no such payment.')
  }
  const mismatch = mismatchOf(payment, callback.hint)
  if (mismatch) {
    logRefusal(mismatch, { payment_id: payment.id })
    return undefined
  }
  await markDue(parts.db, payment.id, parts.timing.wordS)
  await parts.onStep('callback_kept')
  return payment.id
}

async function findPayment(
  tx: Tx,
  provider: string,
  hint: CallbackHint,
): Promise<Payment | undefined> {
  if (hint.reference !== undefined) return findByReference(tx, provider, hint.reference)
  const { providerRef, paymentId } = hint
  const byTheirRef = providerRef ? await findByProviderRef(tx, provider, providerRef) : undefined
  if (byTheirRef || paymentId === undefined || !isUuid(paymentId)) return byTheirRef
  // Their reference has not reached us yet: our id, which they send back, finds the payment.
  const byOurId = await findById(tx, paymentId)
  return byOurId?.provider === provider ? byOurId : undefined
}

function mismatchOf(payment: Payment, hint: CallbackHint): string | undefined {
  const { providerRef } = payment
  const otherId = hint.paymentId !== undefined && hint.paymentId !== payment.id
  const otherRef = hint.providerRef && providerRef && hint.providerRef !== providerRef
  if (otherId || otherRef) return 'reference_mismatch'
  // Any callback about a credited payment leads to a check: money may have gone back.
  if (payment.status === 'completed') return undefined
  if (hint.currency !== undefined && hint.currency !== payment.currency) return 'currency_mismatch'
  if (hint.amountTzs !== undefined && hint.amountTzs !== payment.amountTzs) return 'amount_mismatch'
  return undefined
}
