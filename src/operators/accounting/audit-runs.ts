import { withAuditLog } from '../audit-log.ts'
import type { Actor } from '../actor.ts'
import type { Db } from '../../db/db.ts'
import type { BackgroundJob } from '../../lib/clock.ts'
import { uuidv7 } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { createRowWorker } from '../../db/row-worker.ts'
import { readHeads } from './audit-heads.ts'
import { auditAccounting, type AccountingAudit } from './audit.ts'
import {
  AUDIT_CHANNEL,
  claimRun,
  failSpentRuns,
  findOpenRun,
  finishRun,
  giveRunBack,
  insertRun,
  renewRun,
  type AuditRun,
  type RunLease,
  type RunResult,
} from './audit-runs-store.ts'

/** Asks for an audit, or returns the one that is waiting or running: there is never a second. */
export function askForAudit(
  db: Db,
  actor: Actor,
  { reason }: { reason: string | undefined },
): Promise<AuditRun> {
  return withAuditLog(db, actor, async (tx, record) => {
    // The log is locked: nobody else asks at this moment.
    const open = await findOpenRun(tx)
    if (open) return open
    const run = await insertRun(tx, { id: uuidv7(), askedBy: actor.name })
    await record({ action: 'books.audit', target: { type: 'audit', id: run.id }, reason })
    return run
  })
}

type Parts = {
  db: Db
  log: Log
  /** Where the heads of the log are noted. */
  config?: { DATA_DIR: string }
  /** Shorter in tests only. */
  renewMs?: number
  leaseS?: number
}

const EVERY_MS = 10_000
const RENEW_MS = 1_000
/** How long a run may be silent before another process takes it over. */
const LEASE_S = 60
const MOST_ATTEMPTS = 3
const MOST_KEPT = 1_000

/** Runs the audits that are asked for, one at a time among all processes. */
export async function auditRunner(parts: Parts): Promise<BackgroundJob> {
  const worker = createRowWorker({
    mostLoops: 1,
    next: (_onFound, signal) => runNext(parts, signal),
    onError(error) {
      parts.log.warn('An audit could not be run; it will be tried again.', { error })
    },
  })
  await parts.db.listen(AUDIT_CHANNEL, () => worker.wake())
  return { name: 'audits', everyMs: EVERY_MS, run: (signal) => worker.run(signal) }
}

async function runNext(parts: Parts, signal: AbortSignal): Promise<boolean> {
  const { db, log, leaseS = LEASE_S } = parts
  const failed = await failSpentRuns(db, MOST_ATTEMPTS)
  if (failed > 0) log.error('An audit was interrupted too often; it was given up.')
  const claim = { leaseId: uuidv7(), leaseS, mostAttempts: MOST_ATTEMPTS }
  const lease = await claimRun(db, claim)
  if (!lease) return false
  try {
    const result = resultOf(await auditInTime(parts, lease, signal))
    await finishRun(db, lease, result)
    const [count, job_id] = [result.findingCount, lease.id]
    if (count > 0) log.error('An audit found that the books do not balance.', { count, job_id })
  } catch (error) {
    await giveRunBack(db, lease, { counts: !signal.aborted })
    if (!signal.aborted) throw error
  }
  return true
}

/**
 * The audit itself is one long transaction, and whoever is inside cannot write elsewhere: a timer
 * outside of it writes how far it has come, and keeps the lease.
 */
async function auditInTime(
  parts: Parts,
  lease: RunLease,
  signal: AbortSignal,
): Promise<AccountingAudit & { steps: number }> {
  const { db, renewMs = RENEW_MS, leaseS = LEASE_S } = parts
  const lost = new AbortController()
  let at = { step: 0, steps: 0 }
  let renewing = Promise.resolve()
  const renew = async () => {
    // A database that is away for a moment says so to the audit too.
    const ours = await renewRun(db, lease, { ...at, leaseS }).catch(() => true)
    if (!ours) lost.abort()
  }
  const timer = setInterval(() => (renewing = renewing.then(renew)), renewMs)
  try {
    const audit = await auditAccounting(db, {
      heads: parts.config && readHeads(parts.config.DATA_DIR),
      progress: (step, steps) => (at = { step, steps }),
      signal: AbortSignal.any([signal, lost.signal]),
    })
    return { ...audit, steps: at.steps }
  } finally {
    clearInterval(timer)
    await renewing
  }
}

function resultOf({ log, findings, ...audit }: AccountingAudit & { steps: number }): RunResult {
  const all = log.finding === undefined ? findings : [...findings, log.finding]
  return {
    ...audit,
    findings: all.slice(0, MOST_KEPT),
    findingCount: all.length,
    logEnd: log.end,
  }
}
