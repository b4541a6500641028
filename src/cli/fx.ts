import { readRate, setRate } from '../operators/business/fx.ts'
import { listRates } from '../operators/business/fx-store.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import { dayAt, isDay } from '../lib/days.ts'
import { command, done, tableRow, verb } from './command.ts'

const HELP = `fx set <day> <shillings> [--reason <text>] [--operator <name>]
                      what a dollar costs from this day on, until the next day that has a
                      rate: for the margin in the overview, never for a price
fx list               the rates that were set, newest first`

const MOST_SHOWN = 100

type Parts = { db: Db; config: Config }

export const fxCommand = command<Parts>('fx', HELP, {
  set: verb(['day', 'rate'], {}, async ({ db, config }: Parts, { day, rate, actor, reason }) => {
    const tzsPerUsd = readRate(rate)
    if (!isDay(day) || tzsPerUsd === undefined) return 'usage'
    const today = dayAt(new Date(), config.ACTIVITY_TIME_ZONE)
    await setRate(db, actor, { day, tzsPerUsd, reason, today })
    return done(`From ${day} on a dollar costs ${tzsPerUsd} shillings.`)
  }),
  list: verb([], {}, async ({ db, config }: Parts) => {
    const rates = await listRates(db, { limit: MOST_SHOWN })
    return done(
      ...rates.map(({ day, tzsPerUsd }) => tableRow(day, tzsPerUsd)),
      `Before the first of all: ${config.TZS_PER_USD} (TZS_PER_USD).`,
    )
  }),
})
