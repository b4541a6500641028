import type { Db, Tx } from '../db/db.ts'
import { creditsText } from './money.ts'

type Finding = { accountId: string; sentence: string }

export type Audit = { accounts: bigint; entries: bigint; holds: bigint; findings: Finding[] }

export type AuditOptions = {
  /** Only so many accounts, chosen by chance; without it all of them. */
  sample?: number
  /** Called after each rule, and now and then before the first. */
  progress?(done: number, rules: number): void
}

/** Checks the ledger in one snapshot, so that it may run beside a working service. */
export async function auditLedger(db: Db, options: AuditOptions = {}): Promise<Audit> {
  return db.begin(async (tx) => {
    const counts = await startAudit(tx)
    const sample = options.sample === undefined ? null : await chooseAccounts(tx, options.sample)
    const all: Among[] = [[sample, null, null]]
    const pieces = sample === null ? await piecesOf(tx) : all
    const steps = auditQueries.length + 1
    const suspects: string[] = []
    for (const among of pieces) {
      for (const id of await findSuspects(tx, among)) suspects.push(id)
      options.progress?.(0, steps)
    }
    const suspected: Among[] = suspects.length > 0 ? [[suspects, null, null]] : []
    const findings: Finding[] = []
    for (const [done, query] of auditQueries.entries()) {
      for (const among of query.ofEntries ? suspected : all) {
        for (const row of await query.find(tx, among)) findings.push(finding(row, query.what))
      }
      options.progress?.(done + 2, steps)
    }
    return { ...counts, findings }
  }, 'patient')
}

/** The accounts that are audited: these, after one, up to another; null leaves a bound out. */
type Among = [ids: string[] | null, after: string | null, upTo: string | null]

/**
 * Every piece reads much of the table, since the entries of an account are all over it: the fewer
 * there are, the better. An account with more entries is a piece of its own.
 */
const PIECE_ENTRIES = 1_000_000

/** All accounts, and whatever is between them, in pieces with about as many entries. */
async function piecesOf(tx: Tx): Promise<Among[]> {
  const rows = await tx.read<{ last: string }>(
    `select max(account_id::text) as last
     from (select account_id, sum(entries) over (order by account_id)::int8 / $1 as piece
           from ledger_accounts) numbered
     group by piece order by last`,
    [PIECE_ENTRIES],
  )
  const ends = rows.slice(0, -1).map(({ last }) => last)
  return [...ends, null].map((upTo, nth) => [null, nth === 0 ? null : ends[nth - 1]!, upTo])
}

async function chooseAccounts(tx: Tx, count: number): Promise<string[]> {
  const rows = await tx.read<{ account_id: string }>(
    'select account_id from ledger_accounts order by random() limit $1',
    [count],
  )
  return rows.map((row) => row.account_id)
}

/** Every statement is planned for its values: what is null costs nothing. */
const AMONG = `($1::uuid[] is null or account_id = any($1))
  and ($2::uuid is null or account_id > $2) and ($3::uuid is null or account_id <= $3)`

function finding(row: AuditRow, what: string): Finding {
  const expected = creditsText(row.expected)
  const found = creditsText(row.found)
  const detail = row.detail === null ? '' : ` (${row.detail})`
  return {
    accountId: row.account_id,
    sentence: `Account ${row.account_id}: ${what}${detail}: expected ${expected}, found ${found}.`,
  }
}

/** Both sums in microcredits. */
type AuditRow = {
  account_id: string
  expected: bigint
  found: bigint
  detail: string | null
}

async function startAudit(tx: Tx): Promise<{ accounts: bigint; entries: bigint; holds: bigint }> {
  await tx.script(`set transaction isolation level repeatable read, read only;
    set local work_mem = '64MB'; set local plan_cache_mode = force_custom_plan`)
  const [counts] = await tx.read<{ accounts: bigint; entries: bigint; holds: bigint }>(
    `select (select count(*) from ledger_accounts) as accounts,
       (select count(*) from ledger_entries) as entries, (select count(*) from holds) as holds`,
  )
  return counts!
}

/**
 * The accounts whose entries break a rule, whichever it is: all rules about entries in one walk over
 * them, which takes the longest. Only these are looked at again, rule by rule.
 */
async function findSuspects(tx: Tx, among: Among): Promise<string[]> {
  const rows = await tx.read<{ account_id: string }>(
    `select account_id
     from (select * from ledger_accounts where ${AMONG}) accounts full join
       (select account_id, count(*) as counted, min(ordinal) as lowest, max(ordinal) as highest,
          sum(amount_micro) as summed, bool_and(carried) as carried,
          gift_of(type, amount_micro, balance_after_micro order by ordinal) as gift
        from (select *, sum(amount_micro) over walk = balance_after_micro
                and seq > coalesce(lag(seq) over walk, 0) as carried
              from ledger_entries where ${AMONG}
              window walk as (partition by account_id order by ordinal)) entries
        group by account_id) walked
       using (account_id)
     where coalesce(summed, 0) <> coalesce(balance_micro, 0)
       or coalesce(counted, 0) <> coalesce(entries, 0) or highest <> counted or lowest <> 1
       or not carried or (gift_entries = entries and gift <> gift_micro)
     order by account_id`,
    among,
  )
  return rows.map((row) => row.account_id)
}

/** Each finds the accounts for which one rule of the ledger is broken. */
const auditQueries: {
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

/** Where they were worked out: an account that no process has touched since may still wait for it. */
function wrongGifts(tx: Tx, among: Among) {
  return tx.read<AuditRow>(
    `select account_id, gift as expected, gift_micro as found, null as detail
     from (select * from ledger_accounts where gift_entries = entries and ${AMONG}) accounts join
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
