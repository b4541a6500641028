import type { Tx } from '../../../db/db.ts'
import { deleteOldest } from '../../../db/purge-store.ts'

/** JSON texts, parsed only when asked for. */
export type NewStoredResponse = {
  accountId: string
  id: string
  previousId: string | undefined
  input: string | undefined
  response: string
  days: number
}

export type StoredResponse = {
  id: string
  previousId: string | undefined
  input: Buffer | undefined
  response: Buffer
}

/** An existing row stays: the settling commit may be tried twice. */
export async function insertStoredResponse(tx: Tx, stored: NewStoredResponse): Promise<void> {
  const { accountId, id, previousId, days } = stored
  const input = stored.input === undefined ? null : Buffer.from(stored.input)
  const response = Buffer.from(stored.response)
  const bytes = response.length + (input?.length ?? 0)
  await tx.query(
    `insert into stored_responses (account_id, id, previous_id, input, response, bytes, expires_at)
     values ($1, $2, $3, $4, $5, $6, now() + make_interval(days => $7::int))
     on conflict do nothing`,
    [accountId, id, previousId ?? null, input, response, bytes, days],
  )
}

export async function readStoredResponses(
  tx: Tx,
  accountId: string,
  ids: string[],
): Promise<StoredResponse[]> {
  const rows = await tx.read<Columns>(
    `select id, previous_id, input, response from stored_responses
     where account_id = $1 and id = any($2::text[]) and expires_at > now()`,
    [accountId, ids],
  )
  return rows.map(storedFrom)
}

/**
 * A response and those before it, newest first. Ends before it would exceed `most` or `mostBytes`:
 * then the last one still has a predecessor.
 */
export async function readResponseChain(
  tx: Tx,
  accountId: string,
  id: string,
  { most, mostBytes }: { most: number; mostBytes: number },
): Promise<StoredResponse[]> {
  const rows = await tx.read<Columns>(
    `with recursive chain as (
       select account_id, id, previous_id, bytes::int8 as total, 1 as length from stored_responses
       where account_id = $1 and id = $2 and expires_at > now()
       union all
       select one.account_id, one.id, one.previous_id, chain.total + one.bytes, chain.length + 1
       from chain join stored_responses as one
         on one.account_id = chain.account_id and one.id = chain.previous_id
           and one.expires_at > now()
       where chain.length < $3 and chain.total + one.bytes <= $4
     )
     select stored.id, stored.previous_id, stored.input, stored.response
     from chain join stored_responses as stored using (account_id, id)
     order by chain.length`,
    [accountId, id, most, mostBytes],
  )
  return rows.map(storedFrom)
}

export async function deleteStoredResponse(
  tx: Tx,
  accountId: string,
  id: string,
): Promise<boolean> {
  const rows = await tx.query(
    `delete from stored_responses where account_id = $1 and id = $2 and expires_at > now()
     returning id`,
    [accountId, id],
  )
  return rows.length > 0
}

export async function deleteAllStoredResponses(tx: Tx, accountId: string): Promise<void> {
  await tx.query('delete from stored_responses where account_id = $1', [accountId])
}

export function purgeStoredResponses(tx: Tx, batch: number): Promise<number> {
  return deleteOldest(tx, batch, {
    table: 'stored_responses',
    where: 'expires_at <= now()',
    order: 'expires_at',
  })
}

/** The oldest responses of accounts that store more than `mostBytes`. */
export async function purgeResponsesOverLimit(
  tx: Tx,
  batch: number,
  mostBytes: number,
): Promise<number> {
  const rows = await tx.query(
    `delete from stored_responses where (account_id, id) in (
       select account_id, id from (
         select account_id, id, sum(bytes) over newest as total from stored_responses
         where account_id in (
           select account_id from stored_responses group by account_id having sum(bytes) > $1)
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

function storedFrom(row: Columns): StoredResponse {
  return {
    id: row.id,
    previousId: row.previous_id ?? undefined,
    input: row.input ?? undefined,
    response: row.response,
  }
}
