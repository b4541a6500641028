import { auditLedger } from '../billing/audit-store.ts'
import type { Db } from '../db/db.ts'

import type { Print } from './print.ts'

/** `npm run audit`: checks the ledger of any database; the exit code says whether it is consistent. */
export const auditCommand = {
  name: 'audit',
  help: 'audit                 check the ledger: every balance, hold and running balance',
  async run(_args: string[], { db, print }: { db: Db; print: Print }): Promise<number> {
    const { accounts, entries, holds, findings } = await auditLedger(db)
    for (const { sentence } of findings) print(sentence)
    const scope = `${accounts} accounts, ${entries} entries, ${holds} open holds`
    print(
      findings.length === 0
        ? `The books balance: ${scope}.`
        : `The books do not balance: ${findings.length} findings in ${scope}.`,
    )
    return findings.length === 0 ? 0 : 1
  },
}
