import { ALL_GROUPS, ALL_ROLLUPS } from '../../../src/activity/pending-rollups-store.ts'
import { auditLedger } from '../../../src/ledger/audit-store.ts'
import type { Db } from '../../../src/db/db.ts'

/** A promise of the database, and the query for rows that break it. */
type Invariant = { id: string; promise: string; broken: string }

/** When the faults have stopped and a lease and a sweep have passed, none of these finds a row. */
const INVARIANTS: readonly Invariant[] = [
  {
    id: 'I2',
    promise: 'no balance is ever below zero',
    broken: `select account_id, balance_after_micro from ledger_entries where balance_after_micro < 0`,
  },
  {
    id: 'I3',
    promise: 'no hold is left',
    broken: `select id, account_id, created_at, about from holds`,
  },
  {
    id: 'I4',
    promise: 'one charge for each record',
    broken: `select reference_id, count(*) from ledger_entries where type = 'usage'
      group by reference_id having count(*) > 1`,
  },
  {
    id: 'I5a',
    promise: 'each charged record has its entry, and the reverse',
    broken: `select r.id, r.request_id, r.status, r.cost_micro, e.amount_micro
      from (select * from activity_records where cost_micro > 0) r
      full join (select * from ledger_entries where type = 'usage') e on e.reference_id = r.id::text
      where r.cost_micro is distinct from -e.amount_micro`,
  },
  {
    id: 'I5b',
    promise: 'one record for each stage of a call',
    broken: `select request_id, kind, count(*) from activity_records
      group by request_id, kind having count(*) > 1`,
  },
  {
    id: 'I5c',
    promise: 'no call that failed or was abandoned is charged',
    broken: `select id, request_id, status, cost_micro from activity_records
      where status <> 'completed' and cost_micro > 0`,
  },
  {
    id: 'I5d',
    promise: 'roll-ups and record groups, with what is due, add up to the records',
    broken: `select * from (select
        (select coalesce(sum(cost_micro), 0) from activity_records) as cost,
        (select coalesce(sum(cost_micro), 0) from ${ALL_ROLLUPS} as r where grain = 'day') as rolled,
        (select count(*) from activity_records) as records,
        (select coalesce(sum(requests), 0) from ${ALL_ROLLUPS} as r where grain = 'day') as requests,
        (select coalesce(sum(records), 0) from ${ALL_GROUPS} as g) as grouped) sums
      where cost <> rolled or records <> requests or records <> grouped`,
  },
  {
    id: 'I6a',
    promise: 'a video job is completed exactly when it was charged, once, what it cost',
    broken: `select j.id, j.status, j.cost_micro, r.cost, r.n from video_jobs j
      left join (select request_id, sum(cost_micro)::int8 as cost, count(*) as n
        from activity_records where status = 'completed' group by request_id) r
        on r.request_id = j.request_id
      where (j.status = 'completed') is distinct from (r.n is not null)
        or r.n > 1 or (r.n = 1 and r.cost <> j.cost_micro)`,
  },
  {
    id: 'I6b',
    promise: 'a video job that ended has exactly one record',
    broken: `select j.id, j.status, count(r.id) from video_jobs j
      left join activity_records r on r.request_id = j.request_id
      where j.status not in ('pending', 'processing') group by j.id having count(r.id) <> 1`,
  },
  {
    id: 'I7',
    promise: 'a payment is completed exactly when it was credited, once',
    broken: `select p.id, p.status, p.credits_micro, e.amount_micro, e.n from payments p
      full join (select reference_id, sum(amount_micro)::int8 as amount_micro, count(*) as n
        from ledger_entries where type = 'topup' group by reference_id) e on e.reference_id = p.id::text
      where (p.status = 'completed') is distinct from (e.n is not null)
        or e.n > 1 or (e.n = 1 and e.amount_micro <> p.credits_micro)`,
  },
  {
    id: 'I8',
    promise: 'one signup bonus for an account',
    broken: `select account_id, count(*) from ledger_entries where type = 'signup_bonus'
      group by account_id having count(*) > 1`,
  },
  {
    id: 'I10',
    promise: 'an answer kept for retries was charged once',
    broken: `select i.account_id, i.key, i.route, count(r.id) from idempotency_keys i
      left join activity_records r on r.request_id = i.headers ->> 'x-request-id'
      where i.state <> 'running' and i.route in ('POST /v1/chat/completions', 'POST /v1/embeddings',
        'POST /v1/images/generations', 'POST /v1/vision/analyze', 'POST /v1/documents/analyze',
        'POST /v1/video/analyze')
      group by i.account_id, i.key, i.route
      having count(r.id) filter (where r.status = 'completed') <> 1`,
  },
  {
    id: 'I13',
    promise: 'an adjustment by an operator has its audit event, and the reverse',
    broken: `select e.id, e.amount_micro, a.seq, a.amount_micro as in_log
      from (select * from ledger_entries where type = 'adjustment' and operator is not null) e
      full join (select * from operator_actions where after ? 'entry_id') a
        on a.after ->> 'entry_id' = e.id::text
      where e.amount_micro is distinct from a.amount_micro`,
  },
  {
    id: 'I12',
    promise: 'no idempotency key stays claimed by a live process that has stopped working on it',
    broken: `select i.account_id, i.key, i.claimed_at from idempotency_keys i
      join processes p on p.id = i.process_id
      where i.state = 'running' and p.beat_at > now() - interval '20 s'`,
  },
]

/** Everything that is wrong in the database, as sentences. */
export async function brokenInvariants(db: Db): Promise<string[]> {
  const found: string[] = []
  for (const { sentence } of (await auditLedger(db)).findings) found.push(`I1: ${sentence}`)
  for (const { id, promise, broken } of INVARIANTS) {
    const rows = await db.query(`select * from (${broken}) broken limit 20`)
    for (const row of rows) found.push(`${id}: ${promise}: ${shown(row)}`)
  }
  if (!(await entriesStay(db))) found.push('I9: an entry could be changed')
  return found
}

async function entriesStay(db: Db): Promise<boolean> {
  try {
    await db.query('update ledger_entries set amount_micro = amount_micro + 1')
    return false
  } catch {
    return true // The trigger refuses, as promised.
  }
}

export function shown(row: unknown): string {
  return JSON.stringify(row, (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}` : value,
  )
}
