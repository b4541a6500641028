import assert from 'node:assert/strict'
import { auditBooks } from '../../src/billing/audit.ts'
import type { Db } from '../../src/db/db.ts'

/** For the end of every test that touches money. */
export async function assertBooks(db: Db): Promise<void> {
  const { findings } = await auditBooks(db)
  assert.deepEqual(findings, [])
}
