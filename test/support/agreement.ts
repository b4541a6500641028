import assert from 'node:assert/strict'
import type { Db } from '../../src/db/db.ts'
import { assertBooks } from './audit.ts'

/**
 * For the end of every test of paid work: the ledger balances, and activity, roll-ups and usage
 * entries agree. No hold is left.
 */
export async function assertAgreement(db: Db): Promise<void> {
  await assertBooks(db)
  assert.deepEqual(await db.query('select id, account_id from holds'), [], 'no hold is left')
  const mismatches = await db.query(
    `select r.id, r.cost_micro, e.amount_micro
     from (select * from activity_records where cost_micro > 0) r
     full join (select * from ledger_entries where type = 'usage') e on e.reference_id = r.id::text
     where r.cost_micro is distinct from -e.amount_micro`,
  )
  assert.deepEqual(mismatches, [], 'each charged record has its entry, and the reverse')
  const [sums] = await db.query<Record<string, bigint | string | null>>(
    `select (select coalesce(sum(cost_micro), 0) from activity_records)::text as records,
       (select coalesce(sum(cost_micro), 0) from activity_rollups where grain = 'day')::text as rollups,
       (select count(*) from activity_records)::text as record_count,
       (select coalesce(sum(requests), 0) from activity_rollups where grain = 'day')::text as rollup_count`,
  )
  assert.equal(sums!.records, sums!.rollups, 'roll-ups sum to the records')
  assert.equal(sums!.record_count, sums!.rollup_count, 'roll-ups count the records')
}
