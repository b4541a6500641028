import type { Db } from '../../db/db.ts'
import { dayAfter } from '../../lib/days.ts'
import { decimal, decimalText, type Decimal } from '../../lib/decimal.ts'
import { invalidField } from '../../lib/failure.ts'
import { withAuditLog } from '../audit-log.ts'
import type { Actor } from '../actor.ts'
import { findRate, putRate, type FxRate } from './fx-store.ts'

/** `2514.5`: more than zero, at most six digits and six decimal places. Undefined if it is not. */
export function readRate(text: string): string | undefined {
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(text)) return undefined
  const rate = decimal(text)
  return rate.units === 0n ? undefined : decimalText(rate)
}

/** From this day on, until the next day that has a rate. */
export function setRate(
  db: Db,
  actor: Actor,
  wanted: { day: string; tzsPerUsd: string; reason: string | undefined; today: string },
): Promise<FxRate> {
  const { day, tzsPerUsd, reason } = wanted
  // A date far ahead is likely a mistake, and would be forgotten by the time it takes effect.
  if (day > dayAfter(wanted.today)) throw invalidField('day', 'must not be later than tomorrow')
  return withAuditLog(db, actor, async (tx, record) => {
    const before = await findRate(tx, day)
    if (before?.tzsPerUsd === tzsPerUsd) return before
    await putRate(tx, day, tzsPerUsd)
    await record({
      action: 'fx.set',
      target: { type: 'fx', id: day },
      reason,
      before: before && { tzs_per_usd: before.tzsPerUsd },
      after: { tzs_per_usd: tzsPerUsd },
    })
    return (await findRate(tx, day))!
  })
}

/** The rate of a day, from rates with the oldest first; `fallback` before the first of them. */
export function rateOn(rates: FxRate[], fallback: Decimal): (day: string) => Decimal {
  const known = rates.map(({ day, tzsPerUsd }) => ({ day, rate: decimal(tzsPerUsd) }))
  return (day) => known.findLast((one) => one.day <= day)?.rate ?? fallback
}
