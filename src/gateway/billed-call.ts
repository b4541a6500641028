import type { KeptAnswer } from '../lib/answer.ts'
import type { Line, Receipt, Stage } from './bill/rows.ts'
import { dropOf, openBill } from './bill/billable.ts'
import type { Gateway, GatewayCall } from './gateway.ts'
import type { Amounts } from './price/reservation.ts'

/** A stage's cost and usage, before it is known how long the stage took. */
export type Usage = Omit<Line, 'stage' | 'latencyMs'>

/** One call to an upstream that is answered whole. */
export type Purchase<Result> = {
  stage: Stage
  amounts: Amounts
  work(): Promise<Result>
  usage(result: Result): Usage
  answer(result: Result, usage: Usage, receipt: Receipt): KeptAnswer
}

/** Holds, works, settles and answers; or releases and throws. */
export async function buy<Result>(
  gateway: Gateway,
  call: GatewayCall,
  purchase: Purchase<Result>,
): Promise<KeptAnswer & { kept?: true }> {
  const { principal, requestId, claim, signal } = call
  const { stage, amounts } = purchase
  const startedMs = performance.now()
  const leave = gateway.turnstile.enter(principal)
  try {
    const bill = await openBill(gateway.desk, { principal, requestId, stage, ...amounts })
    try {
      const result = await purchase.work()
      const usage = purchase.usage(result)
      const line = { ...usage, stage, latencyMs: performance.now() - startedMs }
      const answer = (receipt: Receipt) => purchase.answer(result, usage, receipt)
      if (claim === undefined) return answer(await bill.settle([line]))
      return { ...answer(await bill.settle([line], { claim, answer })), kept: true }
    } catch (error) {
      await bill.drop(dropOf(error, stage, performance.now() - startedMs, signal))
      throw error
    }
  } finally {
    leave()
  }
}
