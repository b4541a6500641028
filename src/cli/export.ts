import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { commandActor } from '../operators/actor.ts'
import { creditsText } from '../ledger/money.ts'
import {
  openExport,
  recordExport,
  type ExportOptions,
  type MonthSums,
} from '../operators/accounting/exports.ts'
import { readMonth } from '../operators/accounting/month.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import type { Print } from './print.ts'

const HELP = `export ledger|payments --month 2026-11 --out <file> [--force] [--reason <text>]
                      [--operator <name>]
                      write a month of the books as CSV, for an accountant, and print its sums`

/** `npm run mlango -- export …`. */
export const exportCommand = {
  name: 'export',
  help: HELP,
  async run(
    args: string[],
    { db, config, print }: { db: Db; config: Config; print: Print },
  ): Promise<number> {
    const text = { type: 'string' } as const
    const options = {
      month: text,
      out: text,
      reason: text,
      operator: text,
      force: { type: 'boolean' },
    } as const
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true })
    const kind = (['ledger', 'payments'] as const).find((one) => one === positionals[0])
    const period = readMonth(values.month ?? '', config.ACTIVITY_TIME_ZONE)
    const { out: file, force = false, reason, operator } = values
    if (!kind || !period || file === undefined || positionals.length > 1) {
      print(HELP)
      return 2
    }
    await recordExport(db, commandActor(operator), { kind, month: period.month, reason })
    const sums = await writeFile(db, { kind, period, showPhone: (phone) => phone }, file, force)
    print(`${period.month} in ${period.zone} is in ${resolve(file)}.`)
    for (const line of linesOf(sums)) print(line)
    return 0
  },
}

/** A file that could not be written to its end does not stay. */
async function writeFile(
  db: Db,
  options: ExportOptions,
  file: string,
  force: boolean,
): Promise<MonthSums> {
  // It may have phone numbers in it.
  const out = createWriteStream(file, { flags: force ? 'w' : 'wx', mode: 0o600 })
  await once(out, 'open')
  try {
    const sums = await openExport(
      db,
      options,
    )(async (text) => {
      if (!out.write(text)) await once(out, 'drain')
    })
    out.end()
    await finished(out)
    return sums
  } catch (error) {
    out.destroy()
    await rm(file, { force: true })
    throw error
  }
}

function linesOf({ ledger, received }: MonthSums): string[] {
  return [
    `Credits of customers at the beginning: ${creditsText(ledger.openingMicro)}.`,
    ...ledger.movements.map(
      ({ type, entries, amountMicro }) =>
        `  ${type}: ${creditsText(amountMicro)} in ${entries} entries.`,
    ),
    `Credits of customers at the end: ${creditsText(ledger.closingMicro)}.`,
    `Received: TZS ${received.amountTzs} in ${received.payments} payments, for ${creditsText(received.creditsMicro)} credits.`,
  ]
}
