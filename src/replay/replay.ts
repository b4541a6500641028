import type { Db } from '../db/db.ts'
import type { Claim, KeptAnswer } from '../lib/answer.ts'
import { uuidv7 } from '../lib/ids.ts'
import { freeClaim, keepAnswers, purgeExpired, readKey, takeClaim } from './replay-store.ts'

type Outcome =
  | { state: 'claimed'; claim: Claim }
  | { state: 'running' }
  | { state: 'other_route' }
  | { state: 'kept'; answer: KeptAnswer }

/** Remembers answers by idempotency key, scoped to the account, across all processes. */
export type Replay = {
  claim(request: { accountId: string; key: string; route: string }): Promise<Outcome>
  keep(claim: Claim, answer: KeptAnswer): Promise<void>
  free(claim: Claim): Promise<void>
  /** A duty: removes what has expired, and frees what could not be freed when it should have been. */
  tidy(signal: AbortSignal): Promise<void>
}

const PURGE_AT_ONCE = 200
const ATTEMPTS = 3

export function createReplay({ db, processId }: { db: Db; processId: string }): Replay {
  const unfreed = new Set<Claim>()

  async function free(claim: Claim): Promise<void> {
    unfreed.add(claim)
    await freeClaim(db, claim)
    unfreed.delete(claim)
  }

  return {
    claim: (request) => claim(db, { ...request, processId }),
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
      while (!signal.aborted && (await purgeExpired(db, PURGE_AT_ONCE)) === PURGE_AT_ONCE);
    },
  }
}

async function claim(
  db: Db,
  request: { accountId: string; key: string; route: string; processId: string },
): Promise<Outcome> {
  const { accountId, key, route } = request
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const claimId = uuidv7()
    if (await takeClaim(db, { ...request, claimId })) {
      return { state: 'claimed', claim: { id: claimId, accountId, key } }
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
