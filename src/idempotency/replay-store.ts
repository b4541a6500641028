import type { Db, Tx } from '../db/db.ts'
import { deleteOldest } from '../db/purge-store.ts'
import type { Claim, ClaimOutcome, EarlyBody, Finished, StorableAnswer } from '../lib/answer.ts'
import { uuidv7 } from '../lib/ids.ts'
import { storedAnswer, purgePieces, spliceOf, writePieces, type StoredRow } from './pieces-store.ts'

/** Remembers answers by idempotency key, scoped to the account, across all processes. */
export type StoredAnswers = {
  claim(request: KeyRequest): Promise<ClaimOutcome>
  find(request: KeyRequest): Promise<Finished | undefined>
  store(claim: Claim, answer: StorableAnswer): Promise<void>
  free(claim: Claim): Promise<void>
  /** In the background: removes what has expired, and frees what could not be freed when it should have been. */
  tidy(signal: AbortSignal): Promise<void>
}

type KeyRequest = { accountId: string; key: string; route: string }

export type StoredAnswersOptions = {
  db: Db
  processId: string
  /** How large the stored answers of an account may be together; without a limit in tests only. */
  budgetBytes?: number
}

/** Larger ones are written in pieces, ahead of the commit. */
const LARGE_BYTES = 256 * 1024

const PURGE_AT_ONCE = 200
/** A megabyte each. */
const PIECES_AT_ONCE = 32
const ATTEMPTS = 3
/** For so long a statement whose answer was lost may still arrive at the database. */
const DOUBT_MS = 60_000

export function openStoredAnswers({
  db,
  processId,
  budgetBytes = Infinity,
}: StoredAnswersOptions): StoredAnswers {
  const unfreed = new Set<Claim>()
  const doubtful = new Map<Claim, number>()

  async function free(claim: Claim): Promise<void> {
    unfreed.add(claim)
    await freeClaim(db, claim)
    unfreed.delete(claim)
  }

  return {
    async claim(request) {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const claim = { id: uuidv7(), accountId: request.accountId, key: request.key }
        try {
          const taken = await takeClaim(db, { ...request, claimId: claim.id, processId })
          if (taken !== undefined && taken.storedBytes < budgetBytes)
            return { state: 'claimed', claim }
          if (taken !== undefined) {
            await free(claim)
            return { state: 'over_budget', retryAfterS: taken.freeInS }
          }
        } catch (error) {
          // It may be ours although no answer came; while we live, nobody else could take it.
          doubtful.set(claim, performance.now())
          throw error
        }
        const found = await readKey(db, request)
        // Undefined: freed or expired since the attempt to take it, so it can be taken now.
        if (found !== undefined) return found
      }
      return { state: 'running' }
    },
    async find(request) {
      const found = await readKey(db, request)
      return found?.state === 'running' ? undefined : found
    },
    async store(claim, answer) {
      try {
        await storeAnswer(db, { claim, answer, early: await storeEarly(db, claim, answer) })
      } catch (error) {
        // Not stored, so a retry must be free to run.
        unfreed.add(claim)
        throw error
      }
    },
    free,
    async tidy(signal) {
      for (const claim of unfreed) await free(claim)
      for (const [claim, sinceMs] of doubtful) {
        await freeClaim(db, claim)
        if (performance.now() - sinceMs > DOUBT_MS) doubtful.delete(claim)
      }
      while (!signal.aborted && (await purgeExpired(db, PURGE_AT_ONCE)) === PURGE_AT_ONCE);
      while (!signal.aborted && (await purgePieces(db, PIECES_AT_ONCE)) === PIECES_AT_ONCE);
      while (!signal.aborted && (await purgeSizes(db, PURGE_AT_ONCE)) === PURGE_AT_ONCE);
    },
  }
}

/**
 * Takes the key if it is new, expired, or left by a dead process (no heartbeat for 20 s). No call
 * lasts half an hour: a claim that old was never ended, though its process lives. Returns the size of
 * the stored answers of the account, and when the oldest of them expires.
 */
async function takeClaim(
  tx: Tx,
  request: KeyRequest & { claimId: string; processId: string },
): Promise<{ storedBytes: number; freeInS: number } | undefined> {
  const [row] = await tx.query<{ stored: bigint; free_in_s: number }>(
    `insert into idempotency_keys as old (account_id, key, claim_id, route, process_id, state, expires_at)
     values ($1, $2, $3, $4, $5, 'running', now() + interval '24 hours')
     on conflict (account_id, key) do update
       set claim_id = excluded.claim_id, route = excluded.route, process_id = excluded.process_id,
           state = 'running', status = null, headers = null, body = null,
           pieces_bytes = null, pieces_head = null, pieces_tail = null,
           claimed_at = now(), expires_at = excluded.expires_at
       where old.expires_at <= now()
          or (old.state = 'running' and (
                old.claimed_at < now() - interval '30 minutes'
             or coalesce((select beat_at from processes where id = old.process_id), old.claimed_at)
                  < now() - interval '20 seconds'))
     returning
       (select coalesce(sum(bytes), 0)::int8 from ${SIZES}) as stored,
       (select extract(epoch from min(hour) + interval '25 hours' - now())::float8 from ${SIZES})
         as free_in_s`,
    [request.accountId, request.key, request.claimId, request.route, request.processId],
  )
  return row && { storedBytes: Number(row.stored), freeInS: Math.ceil(row.free_in_s) }
}

/** An answer that was stored within an hour has expired 25 hours after that hour began. */
const SIZES = `stored_answer_sizes where account_id = $1 and hour > now() - interval '25 hours'`

/** What became of a key that could not be taken. */
async function readKey(
  db: Db,
  request: KeyRequest,
): Promise<Finished | { state: 'running' } | undefined> {
  const [row] = await db.read<KeyRow>(
    `select route, state, claim_id, status, headers, body, pieces_bytes, pieces_head, pieces_tail
     from idempotency_keys where account_id = $1 and key = $2 and expires_at > now()`,
    [request.accountId, request.key],
  )
  if (row === undefined) return undefined
  const { route, state } = row
  if (route !== request.route) return { state: 'other_route' }
  return state === 'running'
    ? { state }
    : { state: 'stored', answer: storedAnswer(db, request.accountId, row) }
}

type KeyRow = StoredRow & { route: string; state: 'running' | 'stored' }

/** A large body is written before the commit that stores the answer, and does not depend on it. */
export async function storeEarly(
  db: Db,
  claim: Claim,
  { body }: StorableAnswer,
): Promise<EarlyBody | undefined> {
  return Buffer.byteLength(body) > LARGE_BYTES ? writePieces(db, claim, body) : undefined
}

export type AnswerToStore = {
  claim: Claim
  answer: StorableAnswer
  /** What `storeEarly` gave. */
  early?: EarlyBody | undefined
}

/**
 * Stores an answer in the caller's transaction, for a claim that is still its own: an answer and the
 * money it cost are committed together or not at all.
 */
export async function storeAnswer(tx: Tx, { claim, answer, early }: AnswerToStore): Promise<void> {
  const { status, headers, body } = answer
  const { middle, bytes, head, tail } = early
    ? spliceOf(early, body)
    : { ...WHOLE, middle: Buffer.from(body as string) }
  await tx.query(STORE_ANSWER, [
    claim.accountId,
    claim.key,
    claim.id,
    status,
    JSON.stringify(headers),
    middle,
    bytes,
    head,
    tail,
  ])
}

/** Bytes of a row beside its headers and its body: key, ids, times, entries of indexes. */
const ROW_BYTES = 500

const STORE_ANSWER = `
  with stored as (
    update idempotency_keys
    set state = 'stored', status = $4::int, headers = $5::text::jsonb, body = $6::bytea,
      pieces_bytes = $7::int8, pieces_head = $8::int8, pieces_tail = $9::int8,
      expires_at = now() + interval '24 hours'
    where account_id = $1::uuid and key = $2::text and claim_id = $3::uuid and state = 'running'
    returning account_id
  )
  insert into stored_answer_sizes (account_id, hour, bytes)
  select account_id, date_trunc('hour', now()),
    ${ROW_BYTES} + length($5::text) + length($6::bytea) + coalesce($7::int8, 0)
  from stored
  on conflict (account_id, hour) do update set bytes = stored_answer_sizes.bytes + excluded.bytes`

/** In no pieces. */
const WHOLE = { bytes: null, head: null, tail: null }

/**
 * Whether the claim is still ours; locks it until the transaction ends. A process that was frozen may
 * find that another has taken its key over: it must not charge for it.
 */
export async function lockClaim(tx: Tx, claim: Claim): Promise<boolean> {
  const rows = await tx.read(
    `select from idempotency_keys
     where account_id = $1 and key = $2 and claim_id = $3 and state = 'running' for update`,
    [claim.accountId, claim.key, claim.id],
  )
  return rows.length > 0
}

/** Only while it runs: an answer that was stored in the meantime stays. */
async function freeClaim(tx: Tx, claim: Claim): Promise<void> {
  await tx.query(
    `delete from idempotency_keys
     where account_id = $1 and key = $2 and claim_id = $3 and state = 'running'`,
    [claim.accountId, claim.key, claim.id],
  )
}

/** A small batch at a time, so that no lock is held long. Returns how many were deleted. */
async function purgeExpired(tx: Tx, most: number): Promise<number> {
  const where = 'expires_at <= now()'
  return deleteOldest(tx, most, { table: 'idempotency_keys', where, order: 'expires_at' })
}

async function purgeSizes(tx: Tx, most: number): Promise<number> {
  return deleteOldest(tx, most, {
    table: 'stored_answer_sizes',
    where: `hour <= now() - interval '25 hours'`,
    order: 'hour',
  })
}
