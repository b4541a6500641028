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
  await assertCostSums(db)
}

/** The sums of costs, with what is still beside them, are those of the records. */
export async function assertCostSums(db: Db): Promise<void> {
  const measures = `requests, failed, cost_micro, gift_micro, uncollected_micro, waived_micro,
    reported_nusd, listed_nusd, estimated_nusd`
  const summed = measures.replaceAll(/\w+/g, (name) => `sum(${name})::text as ${name}`)
  const ofSums = await db.query(
    `select upstream, model, kind, ${summed}
     from (select * from cost_sums union all select * from cost_sums_due) as sums
     group by 1, 2, 3 order by 1, 2, 3`,
  )
  const nusd = (basis: string) =>
    `coalesce(sum(upstream_cost_nusd) filter (where cost_basis = '${basis}'), 0)::text`
  const ofRecords = await db.query(
    `select coalesce(upstream, '') as upstream, model, kind, count(*)::text as requests,
       (count(*) filter (where status = 'failed'))::text as failed, sum(cost_micro)::text as cost_micro,
       sum(gift_micro)::text as gift_micro, sum(uncollected_micro)::text as uncollected_micro,
       sum(waived_micro)::text as waived_micro, ${nusd('reported')} as reported_nusd,
       ${nusd('list')} as listed_nusd, ${nusd('estimated')} as estimated_nusd
     from activity_records group by 1, 2, 3 order by 1, 2, 3`,
  )
  assert.deepEqual(ofSums, ofRecords, 'the sums of costs are those of the records')
}
