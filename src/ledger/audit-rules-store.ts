import type { Tx } from '../db/db.ts'

/** The accounts that are audited: these, after one, up to another; null leaves a bound out. */
export type Among = [ids: string[] | null, after: string | null, upTo: string | null]

/** Every statement is planned for its values: what is null costs nothing. */
export const AMONG = `($1::uuid[] is null or account_id = any($1))
  and ($2::uuid is null or account_id > $2) and ($3::uuid is null or account_id <= $3)`

/** Both sums in microcredits. */
export type AuditRow = {
  account_id: string
  expected: bigint
  found: bigint
  detail: string | null
}

/** Each finds the accounts for which one rule of the ledger is broken. */
export const AUDIT_RULES: {
  what: string
  /** It is about entries, and asked of suspects alone. */
  ofEntries?: true
  find(tx: Tx, among: Among): Promise<AuditRow[]>
}[] = [
  {
    what: 'the balance is not the sum of the entries',
    ofEntries: true,
    find: wrongSum('balance_micro', { table: 'ledger_entries', column: 'amount_micro' }),
  },
  {
    what: 'what is held is not the sum of the open holds',
    find: wrongSum('held_micro', { table: 'holds', column: 'amount_micro' }),
  },
  {
    what: 'what may be spent is not the sum of the limits of the open holds',
    find: wrongSum('limits_micro', { table: 'holds', column: 'limit_micro' }),
  },
  { what: 'what is held is negative or more than the balance', find: outOfBounds },
  {
    what: 'an entry does not carry the running balance on',
    ofEntries: true,
    find: wrongRunningBalances,
  },
  { what: 'the entries are not numbered without a gap', ofEntries: true, find: wrongOrdinals },
  {
    what: 'what is left of gifts is not what the entries leave of them',
    ofEntries: true,
    find: wrongGifts,
  },
  { what: 'an entry key was used more than once', find: repeatedKeys },
  { what: 'a hold outlived its owner', find: orphanHolds },
  { what: 'a payment and its credit disagree', find: wrongTopUps },
]

/** A sum that is kept with the account, against the rows that it is the sum of. */
function wrongSum(kept: string, rows: { table: string; column: string }) {
  const { table, column } = rows
  return (tx: Tx, among: Among) =>
    tx.read<AuditRow>(
      `select account_id, coalesce(sum, 0)::int8 as expected, coalesce(${kept}, 0) as found,
         null as detail
       from (select * from ledger_accounts where ${AMONG}) accounts full join
         (select account_id, sum(${column}) from ${table} where ${AMONG} group by account_id) summed
         using (account_id)
       where coalesce(sum, 0) <> coalesce(${kept}, 0) order by account_id`,
      among,
    )
}

function outOfBounds(tx: Tx, among: Among) {
  return tx.read<AuditRow>(
    `select account_id, balance_micro as expected, held_micro as found, null as detail
     from ledger_accounts where (held_micro < 0 or held_micro > balance_micro) and ${AMONG}
     order by account_id`,
    among,
  )
}

function wrongRunningBalances(tx: Tx, among: Among) {
  return tx.read<AuditRow>(
    `select account_id, running::int8 as expected, balance_after_micro as found,
       'entry ' || id as detail
     from (select *, sum(amount_micro) over walk as running, lag(seq) over walk as before
           from ledger_entries where ${AMONG}
           window walk as (partition by account_id order by ordinal)) entries
     where running <> balance_after_micro or seq <= before
     order by account_id, ordinal limit 100`,
    among,
  )
}

/** Lists count and page by these numbers. The counts are shown as if they were microcredits. */
function wrongOrdinals(tx: Tx, among: Among) {
  return tx.read<AuditRow>(
    `select account_id, coalesce(counted, 0)::int8 as expected, coalesce(entries, 0) as found,
       'ordinals up to ' || coalesce(highest, 0) as detail
     from (select * from ledger_accounts where ${AMONG}) accounts full join
       (select account_id, count(*) as counted, max(ordinal) as highest, min(ordinal) as lowest
        from ledger_entries where ${AMONG} group by account_id) numbered
       using (account_id)
     where coalesce(counted, 0) <> coalesce(entries, 0) or highest <> counted or lowest <> 1
     order by account_id limit 100`,
    among,
  )
}

function wrongGifts(tx: Tx, among: Among) {
  return tx.read<AuditRow>(
    `select account_id, gift as expected, gift_micro as found, null as detail
     from (select * from ledger_accounts where ${AMONG}) accounts join
       (select account_id, gift_of(type, amount_micro, balance_after_micro order by ordinal) as gift
        from ledger_entries where ${AMONG} group by account_id) entries
       using (account_id)
     where gift <> gift_micro order by account_id limit 100`,
    among,
  )
}

/**
 * The unique index should answer for it, so it is not asked: what has the same hash is compared. To
 * go along the index would read the table in the order of the keys, a page for each entry.
 */
function repeatedKeys(tx: Tx, among: Among) {
  return tx.read<AuditRow>(
    `select min(account_id::text) as account_id, min(amount_micro) as expected,
       sum(amount_micro)::int8 as found, key as detail
     from ledger_entries where ${AMONG} and hashtextextended(key, 0) in
       (select hash from
         (select hashtextextended(key, 0) as hash from ledger_entries where ${AMONG}) hashed
        group by hash having count(*) > 1)
     group by key having count(*) > 1 order by key limit 100`,
    among,
  )
}

/**
 * A sweeper runs in every process, so with one alive no hold may outlive its owner by a minute.
 * With none alive the holds of the last run wait for the next start, which is no error.
 */
function orphanHolds(tx: Tx, among: Among) {
  return tx.read<AuditRow>(
    `select account_id, 0::int8 as expected, amount_micro as found, 'hold ' || holds.id as detail
     from holds left join processes on processes.id = owner_process
     where exists (select 1 from processes
         where beat_at > now() - interval '20 s' and started_at < now() - interval '60 s')
       and owner_process is not null and holds.created_at < now() - interval '80 s'
       and coalesce(beat_at, '-infinity') < now() - interval '80 s' and ${AMONG}
     order by account_id limit 100`,
    among,
  )
}

/** A completed payment has brought its credits once; any other has brought none. */
function wrongTopUps(tx: Tx, among: Among) {
  return tx.read<AuditRow>(
    `select account_id, due as expected, credited as found, 'payment ' || id as detail
     from (select payments.account_id, payments.id,
             case when status = 'completed' then credits_micro else 0 end as due,
             coalesce(amount_micro, 0) as credited
           from payments left join ledger_entries on key = 'topup:' || payments.id
             and ledger_entries.account_id = payments.account_id) topups
     where due <> credited and ${AMONG} order by account_id limit 100`,
    among,
  )
}
