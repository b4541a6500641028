import type { Db } from '../db/db.ts'
import type { Claim, ClaimOutcome, KeptAnswer } from '../lib/answer.ts'
import { uuidv7 } from '../lib/ids.ts'
import { freeClaim, keepAnswers, purgeExpired, readKey, takeClaim } from './replay-store.ts'

/** Remembers answers by idempotency key, scoped to the account, across all processes. */
export type Replay = {
  claim(request: { accountId: string; key: string; route: string }): Promise<ClaimOutcome>
  keep(claim: Claim, answer: KeptAnswer): Promise<void>
  free(claim: Claim): Promise<void>
  /** A duty: removes what has expired, and frees what could not be freed when it should have been. */
  tidy(signal: AbortSignal): Promise<void>
}

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
    claim: (request) =>
      claim(db, { ...request, processId }, (claim) => doubtful.set(claim, performance.now())),
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

async function claim(
  db: Db,
  request: { accountId: string; key: string; route: string; processId: string },
  inDoubt: (claim: Claim) => void,
): Promise<ClaimOutcome> {
  const { accountId, key, route } = request
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const claim = { id: uuidv7(), accountId, key }
    try {
      if (await takeClaim(db, { ...request, claimId: claim.id })) return { state: 'claimed', claim }
    } catch (error) {
      // It may be ours although we were not told, and as long as we live nobody else could take it.
      inDoubt(claim)
      throw error
    }
    const known = await readKey(db, request)
    // Freed or expired between the two looks: it can be taken now.
    if (known === undefined) continue
    if (known.route !== route) return { state: 'other_route' }
    return known.answer === undefined
      ? { state: 'running' }
      : { state: 'kept', answer: known.answer }
  }
  return { state: 'running' }
}
