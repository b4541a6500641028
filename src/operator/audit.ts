import { auditBooks } from '../billing/audit.ts'
import type { Db } from '../db/db.ts'

/** `npm run audit`: proves the books of any database; the exit code says whether they balance. */
export const auditCommand = {
  name: 'audit',
  help: 'audit                 prove the books: every balance, hold and running sum',
  async run(_args: string[], { db }: { db: Db }): Promise<number> {
    const { accounts, entries, holds, findings } = await auditBooks(db)
    for (const { sentence } of findings) process.stdout.write(`${sentence}\n`)
    const scope = `${accounts} accounts, ${entries} entries, ${holds} open holds`
    process.stdout.write(
      findings.length === 0
        ? `The books balance: ${scope}.\n`
        : `The books do not balance: ${findings.length} findings in ${scope}.\n`,
    )
    return findings.length === 0 ? 0 : 1
  },
}
