import type { ActivityKind } from '../../activity/record.ts'
import type { Tx } from '../../db/db.ts'
import { deleteOldest } from '../../db/purge-store.ts'

const SLOT_MS = 600_000
const MOST_REFUSED = 10_000

const REFUSED = 'refused '

/** What a row is about: calls of a kind that were left, or whose answers were refused. */
export type UnpaidKind = ActivityKind | `${typeof REFUSED}${ActivityKind}`

export function refusedKind(kind: ActivityKind): UnpaidKind {
  return `${REFUSED}${kind}`
}

/** Until the end of the transaction nobody else counts what these accounts did not pay. */
export async function lockMoney(tx: Tx, accountIds: readonly string[]): Promise<void> {
  await tx.read(
    'select from ledger_accounts where account_id = any($1::uuid[]) order by account_id for update',
    [accountIds],
  )
}

/** Only in a transaction that holds the lock on the account's money: so no two wait for each other. */
export async function addUnpaid(
  tx: Tx,
  unpaid: { accountId: string; kind: UnpaidKind; at: Date; worthMicro: bigint },
): Promise<void> {
  const { accountId, kind, at, worthMicro } = unpaid
  await tx.query(
    `insert into unpaid_work as known (account_id, kind, slot, at, worth_micro)
     values ($1, $2, $3, $4, $5)
     on conflict (account_id, kind, slot) do update
       set at = greatest(known.at, excluded.at), worth_micro = known.worth_micro + excluded.worth_micro`,
    [accountId, kind, Math.floor(at.getTime() / SLOT_MS), at, worthMicro],
  )
}

/** What the account caused and did not pay, uncollected costs included, and the oldest of it. */
export async function unpaidSince(
  tx: Tx,
  accountId: string,
  since: Date,
): Promise<{ micro: bigint; oldest: Date | null }> {
  const [row] = await tx.read<{ micro: bigint; oldest: Date | null }>(
    `select coalesce(sum(micro), 0)::int8 as micro, min(at) as oldest from (
       select worth_micro as micro, at from unpaid_work where account_id = $1 and at > $2
       union all
       select amount_micro, created_at from uncollected where account_id = $1 and created_at > $2
     ) as unpaid`,
    [accountId, since],
  )
  return row!
}

/** Of which accounts answers were refused since, and to which kinds of call. */
export async function refusedSince(
  tx: Tx,
  since: Date,
): Promise<{ accountId: string; kind: ActivityKind }[]> {
  const rows = await tx.read<{ account_id: string; kind: string }>(
    `select distinct account_id, kind from unpaid_work where at > $1 and kind like $2 limit $3`,
    [since, `${REFUSED}%`, MOST_REFUSED],
  )
  return rows.map(({ account_id: accountId, kind }) => {
    return { accountId, kind: kind.slice(REFUSED.length) as ActivityKind }
  })
}

/** Later than it is needed: the clocks of processes differ. */
export function purgeUnpaid(tx: Tx, batch: number): Promise<number> {
  const where = "at < now() - interval '25 hours'"
  return deleteOldest(tx, batch, { table: 'unpaid_work', where, order: 'at' })
}

/** The same since midnight, of all accounts without a completed top-up. */
export async function unpaidByNewcomers(tx: Tx, midnight: Date): Promise<bigint> {
  const [row] = await tx.read<{ micro: bigint }>(
    `select coalesce(sum(micro), 0)::int8 as micro from (
       select account_id, worth_micro as micro from unpaid_work where at >= $1
       union all
       select account_id, amount_micro from uncollected where created_at >= $1
     ) as unpaid
     where not exists (
       select from ledger_entries as entry
       where entry.account_id = unpaid.account_id and entry.type = 'topup')`,
    [midnight],
  )
  return row!.micro
}

export async function hasPaid(tx: Tx, accountId: string): Promise<boolean> {
  const rows = await tx.read(
    `select from ledger_entries where account_id = $1 and type = 'topup' limit 1`,
    [accountId],
  )
  return rows.length > 0
}

/** True for one process only. */
export async function noteUnpaidDay(tx: Tx, day: string): Promise<boolean> {
  const rows = await tx.query(
    'insert into unpaid_days (day) values ($1) on conflict do nothing returning day',
    [day],
  )
  return rows.length > 0
}
