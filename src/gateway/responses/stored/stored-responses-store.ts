import { bool, columns, count, int, optional, text } from '../../../db/columns.ts'
import type { Tx } from '../../../db/db.ts'
import { deleteOldest } from '../../../db/purge-store.ts'

/** JSON texts, parsed only when asked for. */
export type NewStoredResponse = {
  accountId: string
  id: string
  previousId: string | undefined
  input: string | undefined
  response: string
  /** Of the prompt that it answered. */
  promptTokens?: number | undefined
  days: number
}

/** A response in a chain. `bytes` is all that is stored of it. */
export type ChainLink = {
  id: string
  previousId: string | undefined
  hasInput: boolean
  bytes: number
  promptTokens: number | undefined
}

/** The ids of responses of which the input is wanted, and of those of which the answer is. */
export type WantedParts = { inputs: readonly string[]; responses: readonly string[] }

/** What was wanted of a response, as JSON. One that is not `whole` can only be referred to. */
export type StoredParts = {
  id: string
  input: Buffer | undefined
  response: Buffer | undefined
  whole: boolean
}

/** An existing row stays: the settling commit may be tried twice. */
export async function insertStoredResponse(tx: Tx, stored: NewStoredResponse): Promise<void> {
  const { accountId, id, previousId, promptTokens, days } = stored
  const input = stored.input === undefined ? null : Buffer.from(stored.input)
  const response = Buffer.from(stored.response)
  const bytes = response.length + (input?.length ?? 0)
  await tx.query(
    `insert into stored_responses
       (account_id, id, previous_id, input, response, bytes, prompt_tokens, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, now() + make_interval(days => $8::int))
     on conflict do nothing`,
    [accountId, id, previousId ?? null, input, response, bytes, promptTokens ?? null, days],
  )
}

/**
 * A response and those before it, newest first, without what they contain. Ends before it would exceed
 * `most` or `mostBytes`: then the last one still has a predecessor.
 */
export async function findChain(
  tx: Tx,
  accountId: string,
  id: string,
  { most, mostBytes }: { most: number; mostBytes: number },
): Promise<ChainLink[]> {
  const rows = await tx.read(
    `with recursive chain as (
       select ${LINK}, bytes::int8 as total, 1 as length from stored_responses as one
       where account_id = $1 and id = $2 and expires_at > now()
       union all
       select ${LINK}, chain.total + one.bytes, chain.length + 1
       from chain join stored_responses as one
         on one.account_id = $1 and one.id = chain.previous_id and one.expires_at > now()
       where chain.length < $3 and chain.total + one.bytes <= $4
     )
     select ${CHAIN_LINK.list} from chain order by length`,
    [accountId, id, most, mostBytes],
  )
  return rows.map(CHAIN_LINK.from)
}

const LINK =
  'one.id, one.previous_id, one.input is not null as has_input, one.bytes, one.prompt_tokens'

const CHAIN_LINK = columns({
  id: text,
  previousId: optional(text),
  hasInput: bool,
  bytes: int,
  promptTokens: optional(count),
})

const OF_WANTED = `from stored_responses
  where account_id = $1 and id = any($2::text[] || $3::text[]) and expires_at > now()`

/** How long the parts are together. Reads none of them. */
export async function bytesOfParts(
  tx: Tx,
  accountId: string,
  { inputs, responses }: WantedParts,
): Promise<number> {
  const [row] = await tx.read<{ bytes: bigint }>(
    `select coalesce(sum(
         case when id = any($2::text[]) then coalesce(octet_length(input), 0) else 0 end
         + case when id = any($3::text[]) then octet_length(response) else 0 end
       ), 0)::int8 as bytes ${OF_WANTED}`,
    [accountId, inputs, responses],
  )
  return Number(row!.bytes)
}

export async function readStoredParts(
  tx: Tx,
  accountId: string,
  { inputs, responses }: WantedParts,
): Promise<StoredParts[]> {
  const rows = await tx.read<PartsRow>(
    `select id, input is not null as whole, case when id = any($2::text[]) then input end as input,
       case when id = any($3::text[]) then response end as response
     ${OF_WANTED}`,
    [accountId, inputs, responses],
  )
  return rows.map(({ id, input, response, whole }) => ({
    id,
    input: input ?? undefined,
    response: response ?? undefined,
    whole,
  }))
}

type PartsRow = { id: string; input: Buffer | null; response: Buffer | null; whole: boolean }

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
