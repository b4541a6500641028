import { checkAuditLog } from '../audit-log.ts'
import { auditLedger } from '../../ledger/audit-store.ts'
import type { Db } from '../../db/db.ts'

export type AccountingAudit = {
  accounts: bigint
  entries: bigint
  holds: bigint
  /** A sentence for each rule that is broken for an account. */
  findings: string[]
  log: { actions: bigint; end: string; finding: string | undefined }
}

type Options = {
  /** Called after each step. */
  progress?(done: number, steps: number): void
  /** Stops before the next step, and throws. */
  signal?: AbortSignal
}

/** Checks every rule of the ledger, then the chain of the audit log. */
export async function auditAccounting(db: Db, options: Options = {}): Promise<AccountingAudit> {
  const { progress, signal } = options
  let steps = 0
  const { findings, ...counts } = await auditLedger(db, {
    progress(done, rules) {
      steps = rules + 1
      progress?.(done, steps)
      signal?.throwIfAborted()
    },
  })
  const log = await checkAuditLog(db)
  progress?.(steps, steps)
  return { ...counts, findings: findings.map(({ sentence }) => sentence), log }
}
