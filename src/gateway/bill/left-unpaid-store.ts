import type { Tx } from '../../db/db.ts'

/** A stream that was read in part, or a whole answer that nobody waited for. */
export type LeftKind = 'stream' | 'answer'

/** Told of an account when it is beyond its limit. */
export function leftUnpaidChannel(kind: LeftKind): string {
  return `left_unpaid_${kind}`
}

const SLOT_MS = 600_000

type Limit = { kind: LeftKind; limitMicro: bigint; since: Date }

/** Only in a transaction that holds the lock on the account's money: so no two wait for each other. */
export async function addLeftUnpaid(
  tx: Tx,
  left: { accountId: string; at: Date; worthMicro: bigint },
  { kind, limitMicro, since }: Limit,
): Promise<void> {
  const { accountId, at, worthMicro } = left
  await tx.query(
    `insert into left_unpaid as known (account_id, kind, slot, at, worth_micro)
     values ($1, $5, $2, $3, $4)
     on conflict (account_id, kind, slot) do update
       set at = greatest(known.at, excluded.at), worth_micro = known.worth_micro + excluded.worth_micro`,
    [accountId, Math.floor(at.getTime() / SLOT_MS), at, worthMicro, kind],
  )
  await tx.query(
    `select pg_notify($1, account_id::text) from left_unpaid
     where account_id = $2 and kind = $5 and at > $3 group by account_id having sum(worth_micro) > $4`,
    [leftUnpaidChannel(kind), accountId, since, limitMicro, kind],
  )
}

export type WorthLeft = {
  accountId: string
  worthMicro: bigint
  /** Beyond the limit: the moment of what must get out of the window before it is within again. */
  beyondAt: Date | null
}

/** Of this account, or of all that are beyond the limit. */
export async function worthLeft(
  tx: Tx,
  { kind, limitMicro, since }: Limit,
  accountId?: string,
): Promise<WorthLeft[]> {
  const rows = await tx.read<{ account_id: string; worth: bigint; beyond_at: Date | null }>(
    `select account_id, sum(worth_micro)::int8 as worth,
       max(at) filter (where worth_since > $2) as beyond_at
     from (
       select *, sum(worth_micro) over (partition by account_id order by at desc, slot desc)
         as worth_since
       from left_unpaid where kind = $4 and at > $1 and ($3::uuid is null or account_id = $3)
     ) as counted
     group by account_id having $3::uuid is not null or sum(worth_micro) > $2`,
    [since, limitMicro, accountId ?? null, kind],
  )
  return rows.map((row) => ({
    accountId: row.account_id,
    worthMicro: row.worth,
    beyondAt: row.beyond_at,
  }))
}

/** Gives the number of rows that were removed. */
export async function purgeLeftUnpaid(tx: Tx, before: Date, batch: number): Promise<number> {
  const rows = await tx.query(
    `delete from left_unpaid where (account_id, kind, slot) in (
       select account_id, kind, slot from left_unpaid where at <= $1 limit $2 for update skip locked
     ) returning slot`,
    [before, batch],
  )
  return rows.length
}
