import type { Db, Tx } from '../db/db.ts'
import { AMONG, AUDIT_RULES, type Among, type AuditRow } from './audit-rules-store.ts'
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
    const steps = AUDIT_RULES.length + 1
    const suspects: string[] = []
    for (const among of pieces) {
      for (const id of await findSuspects(tx, among)) suspects.push(id)
      options.progress?.(0, steps)
    }
    const suspected: Among[] = suspects.length > 0 ? [[suspects, null, null]] : []
    const findings: Finding[] = []
    for (const [done, rule] of AUDIT_RULES.entries()) {
      for (const among of rule.ofEntries ? suspected : all) {
        for (const row of await rule.find(tx, among)) findings.push(finding(row, rule.what))
      }
      options.progress?.(done + 2, steps)
    }
    return { ...counts, findings }
  }, 'patient')
}

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

function finding(row: AuditRow, what: string): Finding {
  const expected = creditsText(row.expected)
  const found = creditsText(row.found)
  const detail = row.detail === null ? '' : ` (${row.detail})`
  return {
    accountId: row.account_id,
    sentence: `Account ${row.account_id}: ${what}${detail}: expected ${expected}, found ${found}.`,
  }
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
       or not carried or gift <> gift_micro
     order by account_id`,
    among,
  )
  return rows.map((row) => row.account_id)
}
