import { checkAuditLog, type LogHead } from '../audit-log.ts'
import { findUnlogged } from './unlogged-store.ts'
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
  /** Links of the log that were noted elsewhere. */
  heads?: readonly LogHead[] | undefined
  /** Called after each step. */
  progress?(done: number, steps: number): void
  /** Stops before the next step, and throws. */
  signal?: AbortSignal
}

/**
 * Checks every rule of the ledger, that the log of the operators has what they did, and the chain
 * of that log.
 */
export async function auditAccounting(db: Db, options: Options = {}): Promise<AccountingAudit> {
  const { progress, signal } = options
  let steps = 0
  const { findings, ...counts } = await auditLedger(db, {
    progress(done, rules) {
      steps = rules + 2
      progress?.(done, steps)
      signal?.throwIfAborted()
    },
  })
  const unlogged = await db.begin(findUnlogged, 'patient')
  progress?.(steps - 1, steps)
  const log = await checkAuditLog(db, options.heads)
  progress?.(steps, steps)
  const sentences = findings.map(({ sentence }) => sentence)
  return { ...counts, findings: [...sentences, ...unlogged], log }
}
