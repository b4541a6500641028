import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { finished } from 'node:stream/promises'
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
import { command, done, FLAG, TEXT, verb } from './command.ts'

const HELP = `export ledger|payments --month 2026-11 --out <file> [--force] [--reason <text>]
                      [--operator <name>]
                      write a month of the books as CSV, for an accountant, and print its sums`

type Parts = { db: Db; config: Config }

export const exportCommand = command<Parts>('export', HELP, {
  ledger: exportOf('ledger'),
  payments: exportOf('payments'),
})

function exportOf(kind: 'ledger' | 'payments') {
  const options = { month: TEXT, out: TEXT, force: FLAG }
  return verb([], options, async ({ db, config }: Parts, given) => {
    const { month = '', out, force = false, actor, reason } = given
    const period = readMonth(month, config.ACTIVITY_TIME_ZONE)
    if (!period || out === undefined) return 'usage'
    await recordExport(db, actor, { kind, month: period.month, reason })
    const sums = await writeFile(db, { kind, period, showPhone: (phone) => phone }, out, force)
    return done(`${period.month} in ${period.zone} is in ${resolve(out)}.`, ...linesOf(sums))
  })
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
