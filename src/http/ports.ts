import type { Claim, KeptAnswer } from '../lib/answer.ts'
import type { Principal } from '../lib/principal.ts'

/** What the hallway asks of rooms it does not know. `house.ts` brings them together. */

/** Checks an `Authorization` header. Throws Failure `unauthorized`. Answers at once where it can. */
export type Doorkeeper = {
  identify(authorization: string | undefined): Principal | Promise<Principal>
}

/** Counts a call against a bucket. May answer at once or after asking Redis. */
export type Limiter = { take(bucket: string, perMinute: number): Slot | Promise<Slot> }

export type Slot = {
  allowed: boolean
  limit: number
  remaining: number
  /** Seconds until the bucket is full again. */
  resetS: number
  /** Seconds until one more call fits; 0 when allowed. */
  retryAfterS: number
}

type ClaimOutcome =
  | { state: 'claimed'; claim: Claim }
  | { state: 'running' }
  | { state: 'other_route' }
  | { state: 'kept'; answer: KeptAnswer }

/** Remembers answers by idempotency key, scoped to the account. */
export type ReplayBook = {
  claim(request: { accountId: string; key: string; route: string }): Promise<ClaimOutcome>
  keep(claim: Claim, answer: KeptAnswer): Promise<void>
  free(claim: Claim): Promise<void>
}
