import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import { clearThrottle, takeThrottle, throttleWait } from './throttle-store.ts'

/** So many tries are free; then each one more must wait twice as long. Never a lock for ever. */
export type Patience = {
  freeTries: number
  firstWaitS: number
  longestWaitS: number
  /** Without a try for this long, the count begins anew. */
  forgetAfterS: number
}

const PATIENCE = {
  login: { freeTries: 10, firstWaitS: 10, longestWaitS: 900, forgetAfterS: 3600 },
  wrongCodes: { freeTries: 15, firstWaitS: 900, longestWaitS: 3600, forgetAfterS: 3600 },
  sends: { freeTries: 10, firstWaitS: 900, longestWaitS: 3600, forgetAfterS: 3600 },
} satisfies Record<string, Patience>

export type Bucket = `${keyof typeof PATIENCE}:${string}`

/**
 * Counts a try before it is made, in a statement of its own: a hundred tries at once cannot all
 * pass, and a request that fails later does not take its count back.
 */
export async function takeTry(db: Tx, bucket: Bucket): Promise<void> {
  const patience = PATIENCE[bucket.split(':')[0] as keyof typeof PATIENCE]
  if (await takeThrottle(db, bucket, patience)) return
  throw tooMany(await throttleWait(db, bucket))
}

/** Throws while the bucket is blocked, and counts nothing. */
export async function checkTries(db: Tx, bucket: Bucket): Promise<void> {
  const waitS = await throttleWait(db, bucket)
  if (waitS > 0) throw tooMany(waitS)
}

export async function forgive(db: Tx, ...buckets: Bucket[]): Promise<void> {
  await clearThrottle(db, buckets)
}

function tooMany(waitS: number): Failure {
  return new Failure('rate_limited', 'Too many tries. Wait a little, then try again.', {
    retryAfterS: Math.max(1, Math.ceil(waitS)),
  })
}
