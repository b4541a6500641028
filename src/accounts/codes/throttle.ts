import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import { clearThrottles, takeThrottle, throttleWait } from './throttle-store.ts'
import type { ThrottleRule } from './throttle-store.ts'

const RULES = {
  login: { freeTries: 10, firstWaitS: 10, longestWaitS: 900, forgetAfterS: 3600 },
  // Remembered for longer than the longest wait: whoever waits does not start again at zero.
  wrongCodes: { freeTries: 15, firstWaitS: 900, longestWaitS: 3600, forgetAfterS: 86_400 },
  sends: { freeTries: 10, firstWaitS: 900, longestWaitS: 3600, forgetAfterS: 86_400 },
  // Each costs money and reaches somebody's phone: at most 20 a day for one number and purpose.
  sms: { freeTries: 10, firstWaitS: 900, longestWaitS: 10_800, forgetAfterS: 86_400 },
  changes: { freeTries: 30, firstWaitS: 900, longestWaitS: 10_800, forgetAfterS: 86_400 },
} satisfies Record<string, ThrottleRule>

/** What is counted together. The name begins with its rule; a subject stands for an identifier. */
export type Bucket = `${keyof typeof RULES}:${string}`

export function passwordTries(subject: Buffer): Bucket {
  return `login:${subject.toString('hex')}`
}

export function codeTries(subject: Buffer): Bucket {
  return `wrongCodes:${subject.toString('hex')}`
}

export function enrolmentTries(accountId: string): Bucket {
  return `wrongCodes:enrol:${accountId}`
}

export function secondFactorTries(accountId: string): Bucket {
  return `wrongCodes:factor:${accountId}`
}

/** Of the password of an account by whoever has its session. */
export function ownPasswordTries(accountId: string): Bucket {
  return `login:own:${accountId}`
}

/** Codes for existing accounts and codes that go to nobody are counted apart. */
export function codesSent(
  { subject, purpose, channel }: { subject: Buffer; purpose: string; channel: string },
  to: 'somebody' | 'nobody',
): Bucket {
  return `${channel === 'phone' ? 'sms' : 'sends'}:${to}:${purpose}:${subject.toString('hex')}`
}

/**
 * An account may name any number of addresses: its own limit keeps it from writing to many. Changes
 * that nobody confirmed are counted apart, so that a thief's do not hold up the owner's.
 */
export function addressChanges(accountId: string, by: 'owner' | 'session'): Bucket {
  return `sends:account:${by}:${accountId}`
}

/** Each is kept for seven days, so that it can be undone. */
export function ownerChanges(accountId: string): Bucket {
  return `changes:${accountId}`
}

/**
 * Counts a try before it is made, in a statement of its own: a hundred tries at once cannot all
 * pass, and a request that fails later does not take its count back.
 */
export async function takeTry(db: Tx, bucket: Bucket): Promise<void> {
  const rule = RULES[bucket.split(':')[0] as keyof typeof RULES]
  if (await takeThrottle(db, bucket, rule)) return
  throw tooMany(await throttleWait(db, bucket))
}

/** Throws while the bucket is blocked, and counts nothing. */
export async function checkTries(db: Tx, bucket: Bucket): Promise<void> {
  const waitS = await throttleWait(db, bucket)
  if (waitS > 0) throw tooMany(waitS)
}

export async function clearTries(db: Tx, ...buckets: Bucket[]): Promise<void> {
  await clearThrottles(db, buckets)
}

function tooMany(waitS: number): Failure {
  return new Failure('rate_limited', 'Too many attempts. Please wait a little, then try again.', {
    retryAfterS: Math.max(1, Math.ceil(waitS)),
  })
}
