import { ask, type Answer } from '../../../client/ask.ts'
import { AskFailure } from '../../../client/failure.ts'
import type { TopUpRequest } from './top-up-request.ts'

const TRIES = 10

/** After a reload the first request with this key may still be running: then its answer is waited for. */
export async function orderTopUp({
  key,
  amount,
}: TopUpRequest): Promise<Answer<'POST /v1/payments/topup'>> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask('POST /v1/payments/topup', {
        body: { amount_tzs: Number(amount) },
        idempotencyKey: key,
      })
    } catch (error) {
      if (!isRunning(error) || tries === TRIES) throw error
      await new Promise((done) => setTimeout(done, 1_000))
    }
  }
}

/** A refusal ends the request; without an answer the next try has the same key. */
export function isClearNo(error: unknown): boolean {
  if (!(error instanceof AskFailure) || isRunning(error)) return false
  return error.status >= 400 && error.status < 500
}

/** Lost on the way to the service or back. */
export const isUnanswered = (error: unknown) => error instanceof AskFailure && error.status === 0

const isRunning = (error: unknown) =>
  error instanceof AskFailure && error.kind === 'idempotency_conflict'
