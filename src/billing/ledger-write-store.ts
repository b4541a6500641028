import type { Tx } from '../db/db.ts'
import type { Account, Hold, OpenHold, Posting, Uncollected } from './ledger.ts'

type Changes = {
  accounts: (Account & { accountId: string })[]
  postings: (Posting & { accountId: string })[]
  closed: string[]
  opened: (Hold | OpenHold)[]
}

/** Everything a batch changed, in one statement. It fails if a hold to be closed is not there. */
export async function writeChanges(tx: Tx, changes: Changes): Promise<void> {
  const { accounts, postings, closed, opened } = changes
  const parts: Part[] = []
  const params: unknown[] = []
  const add = (part: Part, columns: unknown[]) => {
    parts.push(part)
    params.push(...columns)
  }
  if (accounts.length > 0) add('accounts', accountColumns(changes))
  if (postings.length > 0) add('entries', postingColumns(changes))
  if (closed.length > 0) add('closed', [closed])
  if (opened.length > 0) add('opened', holdColumns(opened))
  await tx.query(writeSql(parts), params)
}

type Part = 'accounts' | 'entries' | 'closed' | 'opened'

/** Each numbers its own parameters from 1. */
const PARTS: Record<Part, string> = {
  accounts: `
    update ledger_accounts set balance_micro = given.balance, held_micro = given.held,
      entries = entries + given.posted
    from unnest($1::uuid[], $2::int8[], $3::int8[], $4::int8[]) as given (id, balance, held, posted)
    where account_id = given.id`,
  entries: `
    insert into ledger_entries (id, account_id, type, amount_micro, balance_after_micro, key,
      description, reference_type, reference_id, workspace_id, operator, ordinal)
    select id, account_id, type, amount, after, key, description, ref_type, ref_id, workspace,
      operator, entries + row_number() over (partition by account_id order by n)
    from unnest($1::uuid[], $2::uuid[], $3::text[], $4::int8[], $5::int8[], $6::text[], $7::text[],
      $8::text[], $9::text[], $10::uuid[], $11::text[]) with ordinality as given (id, account_id,
      type, amount, after, key, description, ref_type, ref_id, workspace, operator, n)
      join ledger_accounts using (account_id)
    order by n`,
  closed: 'delete from holds where id = any($1::uuid[]) returning id',
  opened: `
    insert into holds (id, account_id, amount_micro, owner_process, owner_job, deadline, about)
    select id, account_id, amount, process, job, deadline, about::jsonb
    from unnest($1::uuid[], $2::uuid[], $3::int8[], $4::uuid[], $5::text[], $6::timestamptz[],
      $7::text[]) as given (id, account_id, amount, process, job, deadline, about)`,
}

const written = new Map<string, string>()

/** One statement of the parts that are needed: the embedded engine plans it anew each time. */
function writeSql(parts: Part[]): string {
  const known = written.get(parts.join())
  if (known !== undefined) return known
  let last = 0
  let check = 'null'
  const ctes = parts.map((part) => {
    const first = last
    if (part === 'closed') check = allClosed(first + 1)
    const body = PARTS[part].replace(/\$(\d+)/g, (_, n: string) => {
      last = Math.max(last, first + Number(n))
      return `$${first + Number(n)}`
    })
    return `part_${part} as (${body})`
  })
  const sql = `with ${ctes.join(', ')} select ${check} as promise`
  written.set(parts.join(), sql)
  return sql
}

/** With its account's row locked a hold cannot go away between being read and being closed. */
function allClosed(param: number): string {
  return `kept_promise((select count(*) from part_closed) = cardinality($${param}::uuid[]),
    'a hold was closed without its account being locked')`
}

/**
 * Holds that changed while their row stays: a deadline that moved, or one that was closed and made
 * again under its id within the batch. What a hold is about is written only when it is made.
 */
export async function rewriteHolds(tx: Tx, holds: (Hold | OpenHold)[]): Promise<void> {
  await tx.query(
    `update holds set amount_micro = amount, owner_process = process, owner_job = job,
       deadline = given.deadline, about = coalesce(given.about::jsonb, holds.about)
     from unnest($1::uuid[], $2::uuid[], $3::int8[], $4::uuid[], $5::text[], $6::timestamptz[],
       $7::text[]) as given (id, account_id, amount, process, job, deadline, about)
     where holds.id = given.id`,
    holdColumns(holds),
  )
}

export type Loss = Uncollected & { accountId: string }

export async function bookUncollected(tx: Tx, losses: Loss[]): Promise<void> {
  await tx.query(
    `insert into uncollected
       (key, account_id, amount_micro, description, reference_type, reference_id)
     select * from unnest($1::text[], $2::uuid[], $3::int8[], $4::text[], $5::text[], $6::text[])
     on conflict do nothing`,
    [
      losses.map(({ entry }) => entry.key),
      losses.map((loss) => loss.accountId),
      losses.map((loss) => loss.amountMicro),
      losses.map(({ entry }) => entry.description),
      losses.map(({ entry }) => entry.reference?.type ?? null),
      losses.map(({ entry }) => entry.reference?.id ?? null),
    ],
  )
}

function accountColumns(changes: Changes): unknown[] {
  const { accounts } = changes
  return [
    accounts.map((account) => account.accountId),
    accounts.map((account) => account.balanceMicro),
    accounts.map((account) => account.heldMicro),
    postedCounts(changes),
  ]
}

/** How many entries each account gains: the next one's ordinal follows from it. */
function postedCounts({ accounts, postings }: Changes): number[] {
  const counts = new Map<string, number>()
  for (const { accountId } of postings) counts.set(accountId, (counts.get(accountId) ?? 0) + 1)
  return accounts.map(({ accountId }) => counts.get(accountId) ?? 0)
}

function postingColumns({ postings }: Changes): unknown[] {
  return [
    postings.map(({ entry }) => entry.id),
    postings.map((posting) => posting.accountId),
    postings.map(({ entry }) => entry.type),
    postings.map((posting) => posting.amountMicro),
    postings.map((posting) => posting.balanceAfterMicro),
    postings.map(({ entry }) => entry.key),
    postings.map(({ entry }) => entry.description),
    postings.map(({ entry }) => entry.reference?.type ?? null),
    postings.map(({ entry }) => entry.reference?.id ?? null),
    postings.map(({ entry }) => entry.workspaceId ?? null),
    postings.map(({ entry }) => entry.operator ?? null),
  ]
}

function holdColumns(holds: (Hold | OpenHold)[]): unknown[] {
  return [
    holds.map((hold) => hold.holdId),
    holds.map((hold) => hold.accountId),
    holds.map((hold) => hold.amountMicro),
    holds.map(({ owner }) => ('process' in owner ? owner.process : null)),
    holds.map(({ owner }) => ('job' in owner ? owner.job : null)),
    holds.map((hold) => deadlineOf(hold)),
    holds.map((hold) => ('about' in hold ? JSON.stringify(hold.about) : null)),
  ]
}

function deadlineOf({ owner }: OpenHold): Date | null {
  return 'job' in owner ? owner.deadline : null
}
