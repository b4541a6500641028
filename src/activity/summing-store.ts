import type { Db } from '../db/db.ts'
import { toCosts, toLanes, toRollups } from './due-store.ts'

/**
 * Moves at most `batch` rows into the counters and sums and says how many. Whoever deletes a row adds
 * it, in one statement: nothing counts twice, and what another process has taken is left to it.
 */
export function addDue(db: Db, batch: number): Promise<number> {
  return take(db, ADD_DUE, batch)
}

/**
 * The same for what processes of an earlier version write beside the sums of costs: they add to
 * counters and roll-ups themselves. While replicas are updated both are at work.
 */
export function addCostsDue(db: Db, batch: number): Promise<number> {
  return take(db, ADD_COSTS_DUE, batch)
}

/**
 * These tables are empty most of the time, and plans are made for that: one compared each row that
 * was due with each of the batch, and kept a core busy for half a minute. Without sequential scans
 * where there is another way, a batch is found by its places, whatever the statistics say. A crash of
 * the server may undo the last batch, whole: then it is due again.
 */
function take(db: Db, sql: string, batch: number): Promise<number> {
  return db.begin(async (tx) => {
    await tx.script('set local enable_seqscan = off')
    const [row] = await tx.query<{ taken: bigint }>(sql, [batch])
    return Number(row!.taken)
  }, 'visible')
}

function takenFrom(table: 'activity_due' | 'cost_sums_due'): string {
  return `taken as (
    delete from ${table} where ctid = any(array(
      select ctid from ${table} limit $1 for update skip locked))
    returning *
  )`
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

const ADD_COSTS = (from: string) => `
    insert into cost_sums as known (day, upstream, model, kind, ${MEASURES.join(', ')})
    select day, upstream, model, kind, ${MEASURES.map((name) => `sum(${name})`).join(', ')}
    from ${from} group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (day, upstream, model, kind) do update set
      ${MEASURES.map((name) => `${name} = known.${name} + excluded.${name}`).join(', ')}`

// The keys of each table are locked in their order, and the tables in one order, which is also that
// of an earlier version's charges: two processes wait for each other, they never deadlock.
const ADD_DUE = `
  with ${takenFrom('activity_due')},
  counted as (
    insert into activity_lanes as known (account_id, workspace_id, model, status, records)
    select account_id, workspace_id, model, status, sum(records)
    from (${toLanes('taken')}) as lanes
    group by account_id, workspace_id, model, status, lane_id
    order by lane_id
    on conflict (lane_id) do update set records = known.records + excluded.records
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
  added as (${ADD_COSTS(`(${toCosts('taken')}) as costs`)})
  select count(*) as taken from taken`

const ADD_COSTS_DUE = `
  with ${takenFrom('cost_sums_due')},
  added as (${ADD_COSTS('taken')})
  select count(*) as taken from taken`
