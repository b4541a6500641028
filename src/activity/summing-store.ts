import type { Db } from '../db/db.ts'
import { toCosts, toGroups, toRollups } from './pending-rollups-store.ts'

/**
 * Moves at most `batch` rows into the counters and sums and says how many. Whoever deletes a row adds
 * it, in one statement: nothing counts twice, and what another process has taken is left to it.
 *
 * The table is empty most of the time, and plans are made for that: one compared each pending row
 * with each of the batch, and kept a core busy for half a minute. Without sequential scans where there
 * is another way, a batch is found by its places, whatever the statistics say. A crash of the server
 * may undo the last batch, whole: then it is pending again.
 */
export function addPendingRollups(db: Db, batch: number): Promise<number> {
  return db.begin(async (tx) => {
    await tx.script('set local enable_seqscan = off')
    const [row] = await tx.query<{ taken: bigint }>(ADD_PENDING_ROLLUPS, [batch])
    return Number(row!.taken)
  }, 'visible')
}

const MEASURES = [
  'requests',
  'failed',
  'cost_micro',
  'gift_micro',
  'uncollected_micro',
  'waived_micro',
  'reported_nusd',
  'listed_nusd',
  'estimated_nusd',
]

// The keys of each table are locked in their order, and the tables in one order: two processes wait
// for each other, they never deadlock.
const ADD_PENDING_ROLLUPS = `
  with taken as (
    delete from pending_rollups where ctid = any(array(
      select ctid from pending_rollups limit $1 for update skip locked))
    returning *
  ),
  counted as (
    insert into record_groups as known (account_id, workspace_id, model, status, records)
    select account_id, workspace_id, model, status, sum(records)
    from (${toGroups('taken')}) as groups
    group by account_id, workspace_id, model, status, group_id
    order by group_id
    on conflict (group_id) do update set records = known.records + excluded.records
  ),
  summed as (
    insert into activity_rollups as known
      (account_id, grain, starts_on, model, requests, tokens, cost_micro)
    select account_id, grain, starts_on, model, sum(requests), sum(tokens), sum(cost_micro)
    from (${toRollups('taken')}) as rollups
    group by 1, 2, 3, 4
    order by 1, 2, 3, 4
    on conflict (account_id, grain, starts_on, model) do update set
      requests = known.requests + excluded.requests,
      tokens = known.tokens + excluded.tokens,
      cost_micro = known.cost_micro + excluded.cost_micro
  ),
  added as (
    insert into cost_sums as known (day, upstream, model, kind, ${MEASURES.join(', ')})
    select day, upstream, model, kind, ${MEASURES.map((name) => `sum(${name})`).join(', ')}
    from (${toCosts('taken')}) as costs group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (day, upstream, model, kind) do update set
      ${MEASURES.map((name) => `${name} = known.${name} + excluded.${name}`).join(', ')}
  )
  select count(*) as taken from taken`
