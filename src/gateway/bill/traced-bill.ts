import { Failure } from '../../lib/failure.ts'
import type { RequestTrace } from '../../lib/telemetry/trace.ts'

type Ends = {
  settle(...given: never[]): Promise<unknown>
  drop(...given: never[]): Promise<void>
}

/** The same bill, with its end in the trace of the request. */
export function tracedEnds<Bill extends Ends>(trace: RequestTrace, bill: Bill): Bill {
  let over = false
  return {
    ...bill,
    settle(...given) {
      over = true
      return traced(trace, 'settle', () => bill.settle(...given))
    },
    drop(...given) {
      // A bill that could not be settled is dropped once more, to no effect.
      if (over) return bill.drop(...given)
      over = true
      return traced(trace, 'release', () => bill.drop(...given))
    },
  }
}

export async function traced<Result>(
  trace: RequestTrace | undefined,
  name: 'hold' | 'settle' | 'release',
  work: () => Promise<Result>,
): Promise<Result> {
  if (trace === undefined) return work()
  const step = trace.step(name)
  try {
    const result = await work()
    step.end()
    return result
  } catch (error) {
    step.end(error instanceof Failure ? error.kind : 'error')
    throw error
  }
}
