import type { Db } from '../db/db.ts'
import { invalidField } from '../lib/failure.ts'
import { dayAfter, startOfDay } from '../lib/days.ts'
import {
  sumBalances,
  sumCredits,
  sumReceived,
  sumUncollected,
  sumUsage,
  type CreditSum,
  type DayPeriod,
  type ReceivedSum,
  type UsageSum,
} from './overview-store.ts'

/** The business in a period, all from one moment. */
export type Overview = {
  received: ReceivedSum[]
  credits: CreditSum[]
  usage: UsageSum[]
  uncollectedMicro: bigint
  owed: { balanceMicro: bigint; heldMicro: bigint; accounts: number }
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

export function readOverview(db: Db, period: DayPeriod): Promise<Overview> {
  return db.begin(async (tx) => {
    await tx.script('set transaction isolation level repeatable read, read only')
    return {
      received: await sumReceived(tx, period),
      credits: await sumCredits(tx, period),
      usage: await sumUsage(tx, period),
      uncollectedMicro: await sumUncollected(tx, period),
      owed: await sumBalances(tx),
    }
  })
}
