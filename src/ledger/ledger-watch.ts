import { auditLedger } from './audit-store.ts'
import type { Db } from '../db/db.ts'
import type { BackgroundJob } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

const EVERY_MS = 600_000
const SAMPLE = 200

export type LedgerWatch = {
  job: BackgroundJob
  /** What the last audit found; undefined before the first. */
  findings(): number | undefined
}

/** Audits a few accounts now and then, so that a wrong balance is not found by a customer first. */
export function watchLedger({ db, log }: { db: Db; log: Log }): LedgerWatch {
  let count: number | undefined
  let rounds = 0
  return {
    findings: () => count,
    job: {
      name: 'books',
      everyMs: EVERY_MS,
      async run() {
        // Not at the start, when there is enough to do.
        if (rounds++ === 0) return
        const { findings } = await auditLedger(db, { sample: SAMPLE })
        count = findings.length
        for (const { accountId } of findings.slice(0, 10)) {
          log.error('The books do not balance: run the audit.', { account_id: accountId })
        }
      },
    },
  }
}
