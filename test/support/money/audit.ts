import assert from 'node:assert/strict'
import { auditLedger } from '../../../src/ledger/audit-store.ts'
import type { Db } from '../../../src/db/db.ts'

/** For the end of every test that touches money. */
export async function assertAudit(db: Db): Promise<void> {
  const { findings } = await auditLedger(db)
  assert.deepEqual(findings, [])
}
