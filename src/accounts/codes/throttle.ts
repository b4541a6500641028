import type { Tx } from '../../db/db.ts'
import { Failure } from '../../lib/failure.ts'
import type { Asker } from './asker.ts'
import { clearThrottles, countThrottle, takeThrottle, throttleWait } from './throttle-store.ts'
import type { ThrottleRule } from './throttle-store.ts'

const DAY_S = 86_400

type Rule = {
  /** Of each asker. */
  each: ThrottleRule
  /**
   * How many tries all strangers have together before each network has only `slowed` a day. A new one
   * always has those, so that an owner on a new phone gets in whatever others do: N networks have
   * `calm` + N × `slowed` tries a day.
   */
  calm: number
  slowed: number
}

const RULES = {
  login: {
    each: { freeTries: 10, firstWaitS: 10, longestWaitS: 900, forgetAfterS: 3600 },
    calm: 100,
    slowed: 3,
  },
  // Remembered for longer than the longest wait: whoever waits does not start again at zero.
  wrongCodes: {
    each: { freeTries: 15, firstWaitS: 900, longestWaitS: 3600, forgetAfterS: DAY_S },
    calm: 30,
    slowed: 3,
  },
  sends: {
    each: { freeTries: 10, firstWaitS: 900, longestWaitS: 3600, forgetAfterS: DAY_S },
    calm: 30,
    slowed: 2,
  },
  // Each costs money and reaches somebody's phone: at most 20 a day by one asker.
  sms: {
    each: { freeTries: 10, firstWaitS: 900, longestWaitS: 10_800, forgetAfterS: DAY_S },
    calm: 20,
    slowed: 2,
  },
  changes: {
    each: { freeTries: 30, firstWaitS: 900, longestWaitS: 10_800, forgetAfterS: DAY_S },
    calm: 30,
    slowed: 2,
  },
} satisfies Record<string, Rule>

/** Who is counted: by itself, and unless it is known among all strangers. */
export type CountedBy = Pick<Asker, 'key' | 'known'>

/** What is counted together: one kind of tries at one thing, by one asker where several may try. */
export type Tries = { rule: keyof typeof RULES; of: string; by?: CountedBy }

/** A subject stands for an identifier. */
export function passwordTries(subject: Buffer, by: CountedBy): Tries {
  return { rule: 'login', of: subject.toString('hex'), by }
}

export function codeTries(subject: Buffer, by: CountedBy): Tries {
  return { rule: 'wrongCodes', of: subject.toString('hex'), by }
}

export function enrolmentTries(sessionId: string): Tries {
  return { rule: 'wrongCodes', of: `enrol:${sessionId}` }
}

/** By session: a thief's wrong codes are not the owner's. */
export function secondFactorTries(sessionId: string): Tries {
  return { rule: 'wrongCodes', of: `factor:${sessionId}` }
}

/** Of the password of an account by whoever has this session of it. */
export function ownPasswordTries(sessionId: string): Tries {
  return { rule: 'login', of: `own:${sessionId}` }
}

export function codesSent(
  { subject, purpose, channel }: { subject: Buffer; purpose: string; channel: string },
  by: CountedBy,
): Tries {
  const rule = channel === 'phone' ? 'sms' : 'sends'
  return { rule, of: `${purpose}:${subject.toString('hex')}`, by }
}

/**
 * An account may name any number of addresses: its own limit keeps it from writing to many. Changes
 * that nobody confirmed are counted apart, so that a thief's do not hold up the owner's.
 */
export function addressChanges(accountId: string, by: 'owner' | 'session'): Tries {
  return { rule: 'sends', of: `account:${by}:${accountId}` }
}

/** Each is kept for seven days, so that it can be undone. */
export function ownerChanges(accountId: string): Tries {
  return { rule: 'changes', of: accountId }
}

/**
 * Counts a try before it is made, in statements of their own: a hundred tries at once cannot all
 * pass, and a request that fails later does not take its count back.
 */
export async function takeTry(db: Tx, tries: Tries): Promise<void> {
  await checkTries(db, tries)
  const bucket = bucketOf(tries)
  if (await takeThrottle(db, bucket, await ruleFor(db, tries))) return
  throw tooMany(await throttleWait(db, bucket))
}

/** Throws while the asker must wait, and counts nothing. */
export async function checkTries(db: Tx, tries: Tries): Promise<void> {
  const waitS = await throttleWait(db, bucketOf(tries))
  if (waitS > 0) throw tooMany(waitS)
}

export async function clearTries(db: Tx, ...tries: Tries[]): Promise<void> {
  await clearThrottles(db, tries.map(bucketOf))
}

async function ruleFor(db: Tx, { rule, of, by }: Tries): Promise<ThrottleRule> {
  const { each, calm, slowed } = RULES[rule]
  if (by === undefined || by.known) return each
  const strangers = await countThrottle(db, `${rule}:${of}:strangers`, DAY_S)
  if (strangers <= calm) return each
  return { freeTries: slowed, firstWaitS: DAY_S, longestWaitS: DAY_S, forgetAfterS: DAY_S }
}

function bucketOf({ rule, of, by }: Tries): string {
  return by === undefined ? `${rule}:${of}` : `${rule}:${of}:${by.key}`
}

function tooMany(waitS: number): Failure {
  return new Failure('rate_limited', 'Too many attempts. Please wait a little, then try again.', {
    retryAfterS: Math.max(1, Math.ceil(waitS)),
  })
}
