import type { Db } from '../../db/db.ts'
import { invalidField } from '../../lib/failure.ts'
import { dayAfter, startOfDay } from '../../lib/days.ts'
import { readRates, type FxRate } from './fx-store.ts'
import {
  readPaidIn,
  sumBalances,
  sumCosts,
  sumCredits,
  sumReceived,
  sumRefunds,
  type CostSum,
  type CreditSum,
  type DayPeriod,
  type Owed,
  type PaidIn,
  type ReceivedSum,
  type RefundSum,
} from './overview-store.ts'

/** The business in a period. */
export type Overview = {
  received: ReceivedSum[]
  credits: CreditSum[]
  costs: CostSum[]
  refunds: RefundSum[]
  rates: FxRate[]
  owed: Owed
  paidIn: PaidIn
}

const LONGEST_DAYS = 400

/** Both days are included. */
export function periodOfDays(first: string, last: string, zone: string): DayPeriod {
  if (first > last) throw invalidField('to', 'must not be before from')
  if (dayAfter(first, LONGEST_DAYS) <= last) {
    throw invalidField('to', `must be less than ${LONGEST_DAYS} days after from`)
  }
  const dayAfterLast = dayAfter(last)
  const [from, to] = [startOfDay(first, zone), startOfDay(dayAfterLast, zone)]
  return { from, to, firstDay: first, dayAfterLast, zone }
}

/** All from one moment. */
export function readOverview(db: Db, period: DayPeriod): Promise<Overview> {
  return db.begin(async (tx) => {
    await tx.script('set transaction isolation level repeatable read, read only')
    return {
      received: await sumReceived(tx, period),
      credits: await sumCredits(tx, period),
      costs: await sumCosts(tx, period),
      refunds: await sumRefunds(tx, period),
      rates: await readRates(tx, period),
      owed: await sumBalances(tx),
      paidIn: await readPaidIn(tx),
    }
  })
}
