import { startOfDay } from '../../lib/days.ts'

/** From the first instant of a month, as the zone counts it, to before the first of the next. */
export type MonthPeriod = { month: string; zone: string; from: Date; to: Date }

/** Undefined when the text is no month such as `2026-11`. */
export function readMonth(text: string, zone: string): MonthPeriod | undefined {
  const [, year, number] = /^(2[01]\d\d)-(0[1-9]|1[0-2])$/.exec(text) ?? []
  if (year === undefined || number === undefined) return undefined
  const next =
    number === '12'
      ? `${Number(year) + 1}-01`
      : `${year}-${String(Number(number) + 1).padStart(2, '0')}`
  const [from, to] = [startOfDay(`${text}-01`, zone), startOfDay(`${next}-01`, zone)]
  return { month: text, zone, from, to }
}
