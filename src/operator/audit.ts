import { auditLedger } from '../billing/audit-store.ts'
import type { Db } from '../db/db.ts'

import type { Print } from './print.ts'

type Needs = { db: Db; print: Print }

/** `npm run audit`: proves the books of any database; the exit code says whether they balance. */
export const auditCommand = {
  name: 'audit',
  help: 'audit                 prove the books: every balance, hold and running sum',
  async run(_args: string[], { db, print }: Needs): Promise<number> {
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
