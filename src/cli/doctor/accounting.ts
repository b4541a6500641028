import { auditLedger } from '../../ledger/audit-store.ts'
import type { Db } from '../../db/db.ts'
import { bad, good, note, type Diagnosis } from './diagnosis.ts'

const PART = 'books'
const SAMPLE = 500

/** Audits some accounts, or all of them. */
export async function examineAccounting(
  db: Db,
  options: { full: boolean; progress?: (done: number, rules: number) => void },
): Promise<Diagnosis[]> {
  const { full, progress } = options
  let audit
  try {
    audit = await auditLedger(db, {
      ...(full ? {} : { sample: SAMPLE }),
      ...(progress && { progress }),
    })
  } catch (error) {
    if (codeOf(error) === NO_SUCH_TABLE) return [note(PART, 'There are none yet.')]
    throw error
  }
  const { accounts, entries, findings } = audit
  const some =
    accounts > SAMPLE ? `up to ${SAMPLE} of ${accounts} accounts` : `accounts: ${accounts}`
  const scope = full ? `${accounts} accounts and ${entries} entries` : some
  if (findings.length === 0) return [good(PART, `They balance: ${scope}.`)]
  const cure = 'Stop adjusting balances and see "The books do not balance" in docs/operations.md.'
  return findings.slice(0, 10).map(({ sentence }) => bad(PART, sentence, cure))
}

const NO_SUCH_TABLE = '42P01'

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code
}
