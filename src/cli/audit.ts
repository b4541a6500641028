import { auditAccounting } from '../operators/accounting/audit.ts'
import type { Db } from '../db/db.ts'
import type { Print } from './print.ts'
import { progressLine } from './progress.ts'

/** `npm run audit`: checks the ledger of any database; the exit code says whether it is consistent. */
export const auditCommand = {
  name: 'audit',
  help: `audit                 check the ledger: every balance, hold and running balance; and that the
                      log of the operators is whole`,
  async run(_args: string[], { db, print }: { db: Db; print: Print }): Promise<number> {
    const progress = progressLine(
      'Checked',
      process.stderr,
      (done, steps) => `${done} of ${steps} rules`,
    )
    const audit = await auditAccounting(db, { progress: progress.show })
    progress.end()
    const { accounts, entries, holds, findings, log } = audit
    for (const sentence of findings) print(sentence)
    const scope = `${accounts} accounts, ${entries} entries, ${holds} open holds`
    print(
      findings.length === 0
        ? `The books balance: ${scope}.`
        : `The books do not balance: ${findings.length} findings in ${scope}.`,
    )
    print(log.finding ?? `The log of the operators is whole: ${log.actions} actions${endOf(log)}.`)
    return findings.length === 0 && log.finding === undefined ? 0 : 1
  },
}

function endOf({ actions, end }: { actions: bigint; end: string }): string {
  return actions === 0n ? '' : `, ending in ${end}`
}
