import { auditAccounting } from '../operators/accounting/audit.ts'
import { readHeads } from '../operators/accounting/audit-heads.ts'
import type { LogHead } from '../operators/audit-log.ts'
import type { Db } from '../db/db.ts'
import { command, done, failed, verb, type CommandResult } from './command.ts'
import { progressLine } from './progress.ts'

const HELP = `audit                 check the ledger: every balance, hold and running balance; and that the
                      log of the operators is whole and has what they did`

type Parts = { db: Db; config?: { DATA_DIR: string } }

/** `npm run audit`: checks the ledger of any database; the exit code says whether it is consistent. */
export const auditCommand = command<Parts>(
  'audit',
  HELP,
  verb([], {}, ({ db, config }: Parts) => auditReport(db, config && readHeads(config.DATA_DIR))),
)

export async function auditReport(db: Db, heads: readonly LogHead[] = []): Promise<CommandResult> {
  const progress = progressLine('Checked', process.stderr, (at, of) => `${at} of ${of} rules`)
  const audit = await auditAccounting(db, { heads, progress: progress.show })
  progress.end()
  const { accounts, entries, holds, findings, log } = audit
  const scope = `${accounts} accounts, ${entries} entries, ${holds} open holds`
  const balances = findings.length === 0
  return (balances && log.finding === undefined ? done : failed)(
    ...findings,
    balances
      ? `The books balance: ${scope}.`
      : `The books do not balance: ${findings.length} findings in ${scope}.`,
    log.finding ?? `The log of the operators is whole: ${log.actions} actions${endOf(log)}.`,
  )
}

function endOf({ actions, end }: { actions: bigint; end: string }): string {
  return actions === 0n ? '' : `, ending in ${end}`
}
