import { parseArgs } from 'node:util'
import { commandActor } from '../operators/actor.ts'
import { readRate, setRate } from '../operators/business/fx.ts'
import { listRates } from '../operators/business/fx-store.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import { dayAt, isDay } from '../lib/days.ts'
import type { Print } from './print.ts'

const HELP = `fx set <day> <shillings> [--reason <text>] [--operator <name>]
                      what a dollar costs from this day on, until the next day that has a
                      rate: for the margin in the overview, never for a price
fx list               the rates that were set, newest first`

const MOST_SHOWN = 100

/** `npm run mlango -- fx …`. */
export const fxCommand = {
  name: 'fx',
  help: HELP,
  async run(
    args: string[],
    { db, config, print }: { db: Db; config: Config; print: Print },
  ): Promise<number> {
    const [verb, ...rest] = args
    const text = { type: 'string' } as const
    const options = { reason: text, operator: text }
    const { positionals, values } = parseArgs({ args: rest, options, allowPositionals: true })
    const [day = '', rate = ''] = positionals
    if (verb === 'list' && positionals.length === 0) return list(db, config, print)
    const tzsPerUsd = readRate(rate)
    if (verb !== 'set' || !isDay(day) || tzsPerUsd === undefined) {
      print(HELP)
      return 2
    }
    const today = dayAt(new Date(), config.ACTIVITY_TIME_ZONE)
    const { reason } = values
    await setRate(db, commandActor(values.operator), { day, tzsPerUsd, reason, today })
    print(`From ${day} on a dollar costs ${tzsPerUsd} shillings.`)
    return 0
  },
}

async function list(db: Db, config: Config, print: Print): Promise<number> {
  const rates = await listRates(db, { limit: MOST_SHOWN })
  for (const { day, tzsPerUsd } of rates) print(`${day}  ${tzsPerUsd}`)
  print(`Before the first of all: ${config.TZS_PER_USD} (TZS_PER_USD).`)
  return 0
}
