import type { Tx } from '../../../db/db.ts'
import { deleteOldest } from '../../../db/purge-store.ts'

/** A response as it is kept: JSON texts, read again only when they are asked for. */
export type NewKept = {
  accountId: string
  id: string
  previousId: string | undefined
  input: string | undefined
  response: string
  days: number
}

export type KeptResponse = {
  id: string
  previousId: string | undefined
  input: Buffer | undefined
  response: Buffer
}

/** In the commit that settles the call. One that is there already stays: a commit may be tried twice. */
export async function insertKept(tx: Tx, kept: NewKept): Promise<void> {
  const { accountId, id, previousId, days } = kept
  const input = kept.input === undefined ? null : Buffer.from(kept.input)
  const response = Buffer.from(kept.response)
  const bytes = response.length + (input?.length ?? 0)
  await tx.query(
    `insert into kept_responses (account_id, id, previous_id, input, response, bytes, expires_at)
     values ($1, $2, $3, $4, $5, $6, now() + make_interval(days => $7::int))
     on conflict do nothing`,
    [accountId, id, previousId ?? null, input, response, bytes, days],
  )
}

export async function readKept(tx: Tx, accountId: string, ids: string[]): Promise<KeptResponse[]> {
  const rows = await tx.read<Columns>(
    `select id, previous_id, input, response from kept_responses
     where account_id = $1 and id = any($2::text[]) and expires_at > now()`,
    [accountId, ids],
  )
  return rows.map(keptFrom)
}

/**
 * A response and those before it, the newest first. It ends where one is missing, and where it would
 * get longer than `most` or larger than `mostBytes`: then the last one still has a predecessor.
 */
export async function readKeptChain(
  tx: Tx,
  accountId: string,
  id: string,
  { most, mostBytes }: { most: number; mostBytes: number },
): Promise<KeptResponse[]> {
  const rows = await tx.read<Columns>(
    `with recursive chain as (
       select account_id, id, previous_id, bytes::int8 as total, 1 as length from kept_responses
       where account_id = $1 and id = $2 and expires_at > now()
       union all
       select one.account_id, one.id, one.previous_id, chain.total + one.bytes, chain.length + 1
       from chain join kept_responses as one
         on one.account_id = chain.account_id and one.id = chain.previous_id
           and one.expires_at > now()
       where chain.length < $3 and chain.total + one.bytes <= $4
     )
     select kept.id, kept.previous_id, kept.input, kept.response
     from chain join kept_responses as kept using (account_id, id)
     order by chain.length`,
    [accountId, id, most, mostBytes],
  )
  return rows.map(keptFrom)
}

export async function deleteKept(tx: Tx, accountId: string, id: string): Promise<boolean> {
  const rows = await tx.query(
    `delete from kept_responses where account_id = $1 and id = $2 and expires_at > now()
     returning id`,
    [accountId, id],
  )
  return rows.length > 0
}

export async function deleteAllKept(tx: Tx, accountId: string): Promise<void> {
  await tx.query('delete from kept_responses where account_id = $1', [accountId])
}

export function purgeKept(tx: Tx, batch: number): Promise<number> {
  return deleteOldest(tx, batch, {
    table: 'kept_responses',
    where: 'expires_at <= now()',
    order: 'expires_at',
  })
}

/** What calls that were still running have kept for an account that was deleted meanwhile. */
export async function purgeKeptOfErased(tx: Tx, batch: number): Promise<number> {
  const rows = await tx.query(
    `delete from kept_responses where (account_id, id) in (
       select account_id, kept_responses.id from accounts join kept_responses on account_id = accounts.id
       where accounts.deleted_at > now() - interval '1 day' limit $1)
     returning id`,
    [batch],
  )
  return rows.length
}

/** The oldest of accounts that keep more than they may. */
export async function purgeLargeKeepers(tx: Tx, batch: number, mostBytes: number): Promise<number> {
  const rows = await tx.query(
    `delete from kept_responses where (account_id, id) in (
       select account_id, id from (
         select account_id, id, sum(bytes) over newest as total from kept_responses
         where account_id in (
           select account_id from kept_responses group by account_id having sum(bytes) > $1)
         window newest as (partition by account_id order by created_at desc, id desc)
       ) as summed where total > $1 limit $2)
     returning id`,
    [mostBytes, batch],
  )
  return rows.length
}

type Columns = {
  id: string
  previous_id: string | null
  input: Buffer | null
  response: Buffer
}

function keptFrom(row: Columns): KeptResponse {
  return {
    id: row.id,
    previousId: row.previous_id ?? undefined,
    input: row.input ?? undefined,
    response: row.response,
  }
}
