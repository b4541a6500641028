import { recordsBeside } from '../../activity/activity-store.ts'
import type { ActivityRecord } from '../../activity/record.ts'
import type { Db } from '../../db/db.ts'
import {
  openPostingQueue,
  type PostingQueue,
  type PostingQueueOptions,
} from '../../ledger/posting-queue.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import type { Meter } from '../../lib/telemetry/meter.ts'
import type { DoubtfulCharges } from './doubtful-charges.ts'
import type { BillOrder } from './rows.ts'

/** What bills are written with. */
export type Billing = {
  db: Db
  queue: PostingQueue<ActivityRecord>
  /** The holds of this process that were sent and are not known to be closed, by their ids. */
  openHolds: Set<string>
  doubtfulCharges: DoubtfulCharges
  processId: string
  /** What one call of unknown size may leave uncollected; undefined: nothing more for now. */
  guessAllowance(accountId: string): Promise<bigint | undefined>
  /** Where calls are only weighed: throws what would be held, before anything is. */
  weigh?: ((order: Omit<BillOrder, 'principal' | 'requestId' | 'abort'>) => never) | undefined
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
    onRow: meter?.recorded,
    noteBalances,
    isNews,
    unconfirmedCapMicro,
    meter,
  })
  return { ...rest, db, queue, openHolds: new Set() }
}
