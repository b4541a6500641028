import type { Db, Tx } from '../db/db.ts'
import type { Claim, ClaimOutcome, KeptAnswer } from '../lib/answer.ts'
import { uuidv7 } from '../lib/ids.ts'

/** Remembers answers by idempotency key, scoped to the account, across all processes. */
export type Replay = {
  claim(request: KeyRequest): Promise<ClaimOutcome>
  keep(claim: Claim, answer: KeptAnswer): Promise<void>
  free(claim: Claim): Promise<void>
  /** A duty: removes what has expired, and frees what could not be freed when it should have been. */
  tidy(signal: AbortSignal): Promise<void>
}

type KeyRequest = { accountId: string; key: string; route: string }

/** Larger answers are not kept: their key is freed instead. */
export const LARGEST_KEPT_BYTES = 16 * 1024 * 1024

const PURGE_AT_ONCE = 200
const ATTEMPTS = 3
/** For so long a statement whose answer was lost may still arrive at the database. */
const DOUBT_MS = 60_000

export function createReplay({ db, processId }: { db: Db; processId: string }): Replay {
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
          if (await takeClaim(db, { ...request, claimId: claim.id, processId }))
            return { state: 'claimed', claim }
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
    async keep(claim, answer) {
      try {
        await keepAnswers(db, [{ claim, answer }])
      } catch (error) {
        // Not kept, so a retry must be free to run.
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
    },
  }
}

/**
 * Takes the key if it is new, expired, or left by a dead process (no heartbeat for 20 s). No call
 * lasts half an hour: a claim that old was not concluded, though its process lives.
 */
async function takeClaim(
  tx: Tx,
  request: KeyRequest & { claimId: string; processId: string },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into idempotency as old (account_id, key, claim_id, route, process_id, state, expires_at)
     values ($1, $2, $3, $4, $5, 'running', now() + interval '24 hours')
     on conflict (account_id, key) do update
       set claim_id = excluded.claim_id, route = excluded.route, process_id = excluded.process_id,
           state = 'running', status = null, headers = null, body = null,
           claimed_at = now(), expires_at = excluded.expires_at
       where old.expires_at <= now()
          or (old.state = 'running' and (
                old.claimed_at < now() - interval '30 minutes'
             or coalesce((select beat_at from processes where id = old.process_id), old.claimed_at)
                  < now() - interval '20 seconds'))
     returning claim_id`,
    [request.accountId, request.key, request.claimId, request.route, request.processId],
  )
  return rows.length > 0
}

/** What became of a key that could not be taken. */
async function readKey(tx: Tx, request: KeyRequest): Promise<ClaimOutcome | undefined> {
  const [row] = await tx.read<{
    route: string
    state: 'running' | 'kept'
    status: number
    headers: Record<string, string>
    body: Buffer
  }>(
    `select route, state, status, headers, body from idempotency
     where account_id = $1 and key = $2 and expires_at > now()`,
    [request.accountId, request.key],
  )
  if (row === undefined) return undefined
  const { route, state, ...answer } = row
  if (route !== request.route) return { state: 'other_route' }
  return state === 'running' ? { state } : { state, answer }
}

/**
 * Stores answers for claims that are still theirs, in the caller's transaction: an answer and the
 * money it cost are committed together or not at all. Answers that are too large free their key.
 */
export async function keepAnswers(
  tx: Tx,
  kept: { claim: Claim; answer: KeptAnswer }[],
): Promise<void> {
  const rows = kept.map(({ claim, answer }) => ({ claim, ...answer, body: bytesOf(answer) }))
  const small = rows.filter((row) => row.body.length <= LARGEST_KEPT_BYTES)
  const large = rows.filter((row) => row.body.length > LARGEST_KEPT_BYTES)
  for (const { claim } of large) await freeClaim(tx, claim)
  if (small.length > 0) await updateKept(tx, small)
}

type KeptRow = { claim: Claim; status: number; headers: Record<string, string>; body: Buffer }

async function updateKept(tx: Tx, rows: KeptRow[]): Promise<void> {
  await tx.query(
    `update idempotency as old
     set state = 'kept', status = new.status, headers = new.headers::jsonb, body = new.body,
         expires_at = now() + interval '24 hours'
     from unnest($1::uuid[], $2::text[], $3::uuid[], $4::int[], $5::text[], $6::bytea[])
       as new (account_id, key, claim_id, status, headers, body)
     where old.account_id = new.account_id and old.key = new.key
       and old.claim_id = new.claim_id and old.state = 'running'`,
    [
      rows.map((row) => row.claim.accountId),
      rows.map((row) => row.claim.key),
      rows.map((row) => row.claim.id),
      rows.map((row) => row.status),
      rows.map((row) => JSON.stringify(row.headers)),
      rows.map((row) => row.body),
    ],
  )
}

/**
 * Of these claims, the ids that are still theirs, locked until the transaction ends. A process that
 * was frozen may find that another has taken its key over: it must not charge for it.
 */
export async function lockClaims(tx: Tx, claims: Claim[]): Promise<Set<string>> {
  const rows = await tx.read<{ claim_id: string }>(
    `select claim_id from idempotency
     where (account_id, key) in (select * from unnest($1::uuid[], $2::text[]))
       and claim_id = any($3::uuid[]) and state = 'running'
     order by account_id, key for update`,
    [claims.map((one) => one.accountId), claims.map((one) => one.key), claims.map((one) => one.id)],
  )
  return new Set(rows.map((row) => row.claim_id))
}

/** Only while it runs: what was kept in the meantime stays. */
async function freeClaim(tx: Tx, claim: Claim): Promise<void> {
  await tx.query(
    `delete from idempotency
     where account_id = $1 and key = $2 and claim_id = $3 and state = 'running'`,
    [claim.accountId, claim.key, claim.id],
  )
}

/** A small batch at a time, so that no lock is held long. Gives how many were removed. */
async function purgeExpired(tx: Tx, most: number): Promise<number> {
  const rows = await tx.query(
    `delete from idempotency where (account_id, key) in (
       select account_id, key from idempotency where expires_at <= now()
       order by expires_at limit $1 for update skip locked)
     returning 1 as removed`,
    [most],
  )
  return rows.length
}

function bytesOf(answer: KeptAnswer): Buffer {
  return typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body
}
