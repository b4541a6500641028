/*
 * A charge writes one row for each of its records into `pending_rollups`, and a background job moves
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
  ['group_id', 'group_id'],
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

/** What an insertion of records returns for `writePendingRollups`. `zone` is the parameter's number. */
export function pendingRollupOf(zone: number): string {
  const values = COLUMNS.map(([name, value]) => (name === value ? name : `${value} as ${name}`))
  return values.join(', ').replace('$zone', `$${zone}`)
}

/** `records` has them as above. Nothing is grouped, looked up or locked: this is in every charge. */
export function writePendingRollups(records: string): string {
  return `insert into pending_rollups (${NAMES}) select * from ${records}`
}

/** What rows of `pending_rollups` add to the counters of record groups. */
export function toGroups(pending: string): string {
  return `select group_id, account_id, workspace_id, model, status, 1::int8 as records
    from ${pending}`
}

/** To the sums of accounts by day and by month. */
export function toRollups(pending: string): string {
  return `select account_id, grain, date_trunc(grain, day::timestamp)::date as starts_on, model,
      1::int8 as requests, tokens, cost_micro
    from ${pending} cross join (values ('day'), ('month')) as grains (grain)`
}

/** To the sums of costs. */
export function toCosts(pending: string): string {
  const nusd = (basis: string) =>
    `case when cost_basis = '${basis}' then coalesce(upstream_cost_nusd, 0) else 0::int8 end`
  return `select day, upstream, model, kind, 1::int8 as requests,
      (status = 'failed')::int::int8 as failed,
      cost_micro, gift_micro, uncollected_micro, waived_micro, ${nusd('reported')} as reported_nusd,
      ${nusd('list')} as listed_nusd, ${nusd('estimated')} as estimated_nusd
    from ${pending}`
}

/** For a `from`. A group may come several times. */
export const ALL_GROUPS = `(
  select group_id, account_id, workspace_id, model, status, records from record_groups
  union all ${toGroups('pending_rollups')})`

export const ALL_ROLLUPS = `(
  select account_id, grain, starts_on, model, requests, tokens, cost_micro from activity_rollups
  union all ${toRollups('pending_rollups')})`

export const ALL_COSTS = `(
  select * from cost_sums
  union all ${toCosts('pending_rollups')})`
