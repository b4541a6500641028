import type { Tx } from '../db/db.ts'

/** What is summed, beside the records themselves. */
const MEASURES: [name: string, sum: string][] = [
  ['requests', 'count(*)'],
  ['failed', "count(*) filter (where status = 'failed')"],
  ['cost_micro', 'sum(cost_micro)'],
  ['gift_micro', 'sum(gift_micro)'],
  ['uncollected_micro', 'sum(uncollected_micro)'],
  ['waived_micro', 'sum(waived_micro)'],
  ['reported_nusd', costOf('reported')],
  ['listed_nusd', costOf('list')],
  ['estimated_nusd', costOf('estimated')],
]

function costOf(basis: string): string {
  return `coalesce(sum(upstream_cost_nusd) filter (where cost_basis = '${basis}'), 0)`
}

const NAMES = MEASURES.map(([name]) => name).join(', ')
const SUMS = MEASURES.map(([, sum]) => sum).join(', ')

/** Columns of a record that only these sums need. */
export const SUMMED_COLUMNS =
  'kind, upstream, gift_micro, uncollected_micro, waived_micro, upstream_cost_nusd, cost_basis'

/**
 * A table expression that writes what these records add to the sums, beside the sums: no settlement
 * waits for another. `zone` is the number of the parameter with the time zone.
 */
export function sumsDue(records: string, zone: number): string {
  return `
    due as (
      insert into cost_sums_due (day, upstream, model, kind, ${NAMES})
      select (created_at at time zone $${zone}::text)::date, coalesce(upstream, ''), model, kind,
        ${SUMS}
      from ${records} group by 1, 2, 3, 4
    )`
}

/**
 * Moves at most `batch` rows into the sums and says how many. Whoever deletes a row adds it, in one
 * statement: nothing counts twice, and what another process has taken is left to it.
 */
export async function addSumsDue(tx: Tx, batch: number): Promise<number> {
  const [row] = await tx.query<{ taken: bigint }>(ADD_DUE, [batch])
  return Number(row!.taken)
}

// The keys are locked in their order: two processes wait for each other, they never deadlock.
const ADD_DUE = `
  with taken as (
    delete from cost_sums_due where ctid = any(array(
      select ctid from cost_sums_due limit $1 for update skip locked))
    returning *
  ),
  added as (
    insert into cost_sums as known (day, upstream, model, kind, ${NAMES})
    select day, upstream, model, kind, ${MEASURES.map(([name]) => `sum(${name})`).join(', ')}
    from taken group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (day, upstream, model, kind) do update set
      ${MEASURES.map(([name]) => `${name} = known.${name} + excluded.${name}`).join(', ')}
  )
  select count(*) as taken from taken`
