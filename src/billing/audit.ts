import type { Db } from '../db/db.ts'
import { auditQueries, startAudit, type AuditRow } from './audit-store.ts'
import { creditsText } from './money.ts'

type Finding = { accountId: string; sentence: string }

export type Audit = { accounts: bigint; entries: bigint; holds: bigint; findings: Finding[] }

/** Proves the books, in one snapshot, so that it may run beside a working service. */
export async function auditBooks(db: Db): Promise<Audit> {
  return db.begin(async (tx) => {
    const counts = await startAudit(tx)
    const findings: Finding[] = []
    for (const query of auditQueries) {
      for (const row of await query.ask(tx)) findings.push(finding(row, query.what))
    }
    return { ...counts, findings }
  })
}

function finding(row: AuditRow, what: string): Finding {
  const expected = creditsText(row.expected)
  const found = creditsText(row.found)
  const detail = row.detail === null ? '' : ` (${row.detail})`
  return {
    accountId: row.account_id,
    sentence: `Account ${row.account_id}: ${what}${detail}: expected ${expected}, found ${found}.`,
  }
}
