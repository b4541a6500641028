import assert from 'node:assert/strict'
import { ALL_COSTS, ALL_GROUPS, ALL_ROLLUPS } from '../../../src/activity/pending-rollups-store.ts'
import type { Db } from '../../../src/db/db.ts'
import { assertAudit } from './audit.ts'

/**
 * For the end of every test of paid work: the ledger balances, and activity, roll-ups and usage
 * entries agree. No hold is left.
 */
export async function assertAgreement(db: Db): Promise<void> {
  await assertAudit(db)
  assert.deepEqual(await db.query('select id, account_id from holds'), [], 'no hold is left')
  const mismatches = await db.query(
    `select r.id, r.cost_micro, e.amount_micro
     from (select * from activity_records where cost_micro > 0) r
     full join (select * from ledger_entries where type = 'usage') e on e.reference_id = r.id::text
     where r.cost_micro is distinct from -e.amount_micro`,
  )
  assert.deepEqual(mismatches, [], 'each charged record has its entry, and the reverse')
  await assertSums(db)
}

/** Record groups, roll-ups and sums of costs, with what is still pending, are those of the records. */
export async function assertSums(db: Db): Promise<void> {
  const groups = 'group_id, account_id, workspace_id, model, status'
  assert.deepEqual(
    await db.query(
      `select ${groups}, sum(records)::int8 as records from ${ALL_GROUPS} as groups
       group by ${groups} order by group_id`,
    ),
    await db.query(
      `select ${groups}, count(*) as records from activity_records group by ${groups} order by group_id`,
    ),
    'record groups count the records',
  )
  // Which day it is depends on the time zone, which is not known here.
  assert.deepEqual(
    await db.query(
      `select account_id, grain, model, sum(requests)::int8 as requests, sum(tokens)::int8 as tokens,
         sum(cost_micro)::int8 as cost_micro
       from ${ALL_ROLLUPS} as rollups group by 1, 2, 3 order by 1, 2, 3`,
    ),
    await db.query(
      `select account_id, grain, model, count(*) as requests,
         sum(coalesce(total_tokens, coalesce(prompt_tokens, 0) + coalesce(completion_tokens, 0)))::int8
           as tokens,
         sum(cost_micro)::int8 as cost_micro
       from activity_records cross join (values ('day'), ('month')) as grains (grain)
       group by 1, 2, 3 order by 1, 2, 3`,
    ),
    'roll-ups sum to the records',
  )
  await assertCostSums(db)
}

async function assertCostSums(db: Db): Promise<void> {
  const measures = `requests, failed, cost_micro, gift_micro, uncollected_micro, waived_micro,
    reported_nusd, listed_nusd, estimated_nusd`
  const summed = measures.replaceAll(/\w+/g, (name) => `sum(${name})::text as ${name}`)
  const ofSums = await db.query(
    `select upstream, model, kind, ${summed} from ${ALL_COSTS} as sums
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
