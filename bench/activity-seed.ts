import type { Client } from 'pg'
import { ZONE } from './activity-reads.ts'

const COLUMNS = `account_id, workspace_id, request_id, kind, model, status, error_code,
  prompt_tokens, completion_tokens, total_tokens, cost_micro, latency_ms, group_id`

type Plan = { rows: number; everyNth: number; accountId: string }

/**
 * A year of records in order of time, as a running service would have written them: every
 * `everyNth` belongs to the measured account, the rest to 50 others. Indexes come after the load.
 */
export async function seed(client: Client, plan: Plan): Promise<void> {
  await client.query(`set maintenance_work_mem = '256MB'; set work_mem = '64MB'`)
  await client.query(draw(plan))
  const indexes = await client.query<{ name: string; ddl: string }>(INDEXES)
  // Reads cost the same; the load is spared the log.
  await client.query(`alter table activity_records set unlogged`)
  await client.query(`alter table activity_records drop constraint activity_records_pkey`)
  for (const { name } of indexes.rows) await client.query(`drop index ${name}`)
  await client.query(load(plan.rows))
  await client.query(`alter table activity_records add primary key (id)`)
  for (const { ddl } of indexes.rows) await client.query(ddl)
  await client.query(COUNTERS)
  await client.query('vacuum analyze')
}

const INDEXES = `select indexname as name, indexdef as ddl from pg_indexes
  where tablename = 'activity_records' and indexname <> 'activity_records_pkey'`

const POOL = 20_000

/** Skewed as real use is: half the calls go to one model, one call in ten does not succeed. */
function draw({ everyNth, accountId }: Plan): string {
  const other = asUuid('a', '(i * 7) % 50')
  return `
  create temp table drawn as
  -- As the service names the group of a record.
  select *, md5(account_id || '/' || coalesce(workspace_id::text, '') || '/' || status || '/' || model)
    ::uuid as group_id
  from (select i,
    case when i % ${everyNth} = 0 then '${accountId}' else ${other} end::uuid as account_id,
    case when dice % 5 > 0 then ${asUuid('b', 'least(dice % 5, 3)')} end::uuid as workspace_id,
    'req_' || substr(noise, 1, 24) as request_id, 'chat' as kind,
    'acme/model-' || case when dice % 2 = 0 then 0 else (dice / 8) % 10 end as model,
    status, case when status = 'failed' then 'upstream_error' end as error_code,
    100 + dice % 900 as prompt_tokens, 50 + dice % 500 as completion_tokens,
    150 + dice % 900 + dice % 500 as total_tokens,
    case when status = 'completed' then 1000 + dice % 100000 else 0 end as cost_micro,
    200 + dice % 3000 as latency_ms
  from (
    select i, noise, ('x' || substr(noise, 20, 7))::bit(28)::int as dice,
      case when luck < 230 then 'completed' when luck < 248 then 'failed' else 'cancelled' end
        as status
    from generate_series(0, ${POOL - 1}) as i, lateral (select md5(i::text) as noise) as drawn,
      lateral (select ('x' || substr(noise, 28, 2))::bit(8)::int as luck) as thrown
  ) as calls) as pool;
  analyze drawn`
}

/** Each call of the pool again and again through the year; no two in one millisecond. */
function load(rows: number): string {
  const startMs = Date.parse('2026-01-01T00:00:00+03:00')
  const stepMs = Math.floor((364 * 86_400_000) / rows)
  return `
  insert into activity_records (id, created_at, ${COLUMNS})
  select ('0' || to_hex(ms) || '70008000000000000000')::uuid, to_timestamp(ms / 1000.0::float8), ${COLUMNS}
  from (select n % ${POOL} as i, ${startMs} + n * ${stepMs} as ms
    from generate_series(0, ${rows - 1}::int8) as n) as moments
  join drawn using (i)`
}

function asUuid(kind: string, number: string): string {
  return `'${kind.repeat(8)}-0000-7000-8000-' || lpad((${number})::text, 12, '0')`
}

const COUNTERS = `
  insert into record_groups (account_id, workspace_id, model, status, records)
  select account_id, workspace_id, model, status, count(*) from activity_records group by 1, 2, 3, 4;
  insert into activity_rollups (account_id, grain, starts_on, model, requests, tokens, cost_micro)
  select account_id, 'day', (created_at at time zone '${ZONE}')::date, model,
    count(*), sum(total_tokens), sum(cost_micro)
  from activity_records group by 1, 3, 4;
  insert into activity_rollups (account_id, grain, starts_on, model, requests, tokens, cost_micro)
  select account_id, 'month', date_trunc('month', starts_on)::date, model,
    sum(requests), sum(tokens), sum(cost_micro)
  from activity_rollups where grain = 'day' group by 1, 3, 4;
  insert into cost_sums
  select (created_at at time zone '${ZONE}')::date, 'north', model, kind, count(*),
    count(*) filter (where status = 'failed'), sum(cost_micro), 0, 0, 0, sum(cost_micro) / 3, 0, 0
  from activity_records group by 1, 3, 4`
