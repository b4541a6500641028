/*
 * A charge writes one row for each of its records into `activity_due`, and a background job moves
 * it into the counters and sums later. Whoever reads those reads them here, with what is due, in one
 * statement: in two, a row that is moved between them would count twice or not at all.
 */

/** Name and value of each column, of a record that is being written. */
const COLUMNS: [name: string, value: string][] = [
  ['record_id', 'id'],
  ['account_id', 'account_id'],
  ['workspace_id', 'workspace_id'],
  ['model', 'model'],
  ['status', 'status'],
  ['lane_id', 'lane_id'],
  ['kind', 'kind'],
  ['upstream', `coalesce(upstream, '')`],
  ['day', '(created_at at time zone $zone::text)::date'],
  ['tokens', 'coalesce(total_tokens, coalesce(prompt_tokens, 0) + coalesce(completion_tokens, 0))'],
  ['cost_micro', 'cost_micro'],
  ['gift_micro', 'gift_micro'],
  ['uncollected_micro', 'uncollected_micro'],
  ['waived_micro', 'waived_micro'],
  ['upstream_cost_nusd', 'upstream_cost_nusd'],
  ['cost_basis', 'cost_basis'],
]

const NAMES = COLUMNS.map(([name]) => name).join(', ')

/** What an insertion of records returns for `writeDue`. `zone` is the parameter's number. */
export function dueOfRecord(zone: number): string {
  const values = COLUMNS.map(([name, value]) => (name === value ? name : `${value} as ${name}`))
  return values.join(', ').replace('$zone', `$${zone}`)
}

/** `records` has them as above. Nothing is grouped, looked up or locked: this is in every charge. */
export function writeDue(records: string): string {
  return `insert into activity_due (${NAMES}) select * from ${records}`
}

/** What rows of `activity_due` add to the counters of record groups. */
export function toLanes(due: string): string {
  return `select lane_id, account_id, workspace_id, model, status, 1::int8 as records from ${due}`
}

/** To the sums of accounts by day and by month. */
export function toRollups(due: string): string {
  return `select account_id, grain, date_trunc(grain, day::timestamp)::date as starts_on, model,
      1::int8 as requests, tokens, cost_micro
    from ${due} cross join (values ('day'), ('month')) as grains (grain)`
}

/** To the sums of costs. */
export function toCosts(due: string): string {
  const nusd = (basis: string) =>
    `case when cost_basis = '${basis}' then coalesce(upstream_cost_nusd, 0) else 0::int8 end`
  return `select day, upstream, model, kind, 1::int8 as requests,
      (status = 'failed')::int::int8 as failed,
      cost_micro, gift_micro, uncollected_micro, waived_micro, ${nusd('reported')} as reported_nusd,
      ${nusd('list')} as listed_nusd, ${nusd('estimated')} as estimated_nusd
    from ${due}`
}

/** For a `from`. A group may come several times. */
export const ALL_LANES = `(
  select lane_id, account_id, workspace_id, model, status, records from activity_lanes
  union all ${toLanes('activity_due')})`

export const ALL_ROLLUPS = `(
  select account_id, grain, starts_on, model, requests, tokens, cost_micro from activity_rollups
  union all ${toRollups('activity_due')})`

/** `cost_sums_due` is what processes of an earlier version still write while replicas are updated. */
export const ALL_COSTS = `(
  select * from cost_sums
  union all select * from cost_sums_due
  union all ${toCosts('activity_due')})`
