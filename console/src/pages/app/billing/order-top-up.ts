import { ask, type Answer } from '../../../client/ask.ts'
import { AskFailure } from '../../../client/failure.ts'
import type { Wish } from './top-up-request.ts'

const TRIES = 10

/** The first request of this wish may still be at work, after a reload: then its answer is waited for. */
export async function orderTopUp({
  key,
  amount,
}: Wish): Promise<Answer<'POST /v1/payments/topup'>> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask('POST /v1/payments/topup', {
        body: { amount_tzs: Number(amount) },
        idempotencyKey: key,
      })
    } catch (error) {
      const isRunning = error instanceof AskFailure && error.kind === 'idempotency_conflict'
      if (!isRunning || tries === TRIES) throw error
      await new Promise((done) => setTimeout(done, 1_000))
    }
  }
}
