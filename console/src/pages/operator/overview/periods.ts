import { dayInTanzania } from '../../app/activity/selection.ts'

export const DAYS = { week: 7, month: 30, quarter: 90 }
export type PeriodName = keyof typeof DAYS
export type Period = { from: string; to: string }
export type Periods = { days: number; now: Period; before: Period }

/** The last days including today, and the period of the same length before. */
export function periodsOf(days: number): Periods {
  return {
    days,
    now: { from: dayInTanzania(days - 1), to: dayInTanzania(0) },
    before: { from: dayInTanzania(2 * days - 1), to: dayInTanzania(days) },
  }
}
