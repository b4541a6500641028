import { insertRecords, recordsBeside } from '../../activity/activity-store.ts'
import type { ActivityRecord } from '../../activity/record.ts'
import type { Db } from '../../db/db.ts'
import {
  openPostingQueue,
  type PostingQueue,
  type PostingQueueOptions,
} from '../../ledger/posting-queue.ts'
import type { Clock } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import type { Log } from '../../lib/log.ts'
import type { Meter } from '../../lib/telemetry/meter.ts'
import type { RequestTrace } from '../../lib/telemetry/trace.ts'
import type { DoubtfulCharges } from './doubtful-charges.ts'

/** What bills are written with. */
export type Billing = {
  db: Db
  queue: PostingQueue<ActivityRecord>
  /** The holds of this process that were sent and are not known to be closed, by their ids. */
  openHolds: Set<string>
  doubtfulCharges: DoubtfulCharges
  processId: string
  clock: Clock
  log: Log
}

type BillingInputs = Omit<Billing, 'queue' | 'openHolds'> &
  Pick<PostingQueueOptions<ActivityRecord>, 'noteBalances' | 'isNews' | 'unconfirmedCapMicro'> & {
    timeZone: string
    meter?: Pick<Meter, 'recorded' | 'committed'> | undefined
  }

/** Charges take the records of their calls along. */
export function openBilling(inputs: BillingInputs): Billing {
  const { db, timeZone, meter, noteBalances, isNews, unconfirmedCapMicro, ...rest } = inputs
  const queue = openPostingQueue<ActivityRecord>({
    db,
    rowsBeside: recordsBeside(timeZone),
    writeRows: (tx, records) => insertRecords(tx, records, timeZone),
    onRows: (records) => records.forEach((record) => meter?.recorded(record)),
    noteBalances,
    isNews,
    unconfirmedCapMicro,
    meter,
  })
  return { ...rest, db, queue, openHolds: new Set() }
}

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
