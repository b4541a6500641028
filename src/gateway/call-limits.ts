import { Failure } from '../lib/failure.ts'
import type { Principal } from '../lib/principal.ts'

/** How many calls of an account may run at once, and how often a caller may leave before the end. */
export type CallLimits = {
  /** Counts a running call in; the function it gives counts it out, once. Throws when full. */
  enter(principal: Principal): () => void
  /** Counts a caller who left after the first byte: the upstream has worked and nobody pays. */
  callerLeft(principal: Principal): void
}

const LEAVES_ALLOWED = 10
const LEAVES_WINDOW_MS = 60_000
const LEAVERS_REMEMBERED = 10_000

type Leaver = { count: number; since: number }

/** Counted per process: a cap on damage, not a quota. */
export function createCallLimits(options: {
  perAccount: number
  nowMs?: () => number
}): CallLimits {
  const nowMs = options.nowMs ?? (() => performance.now())
  const running = new Map<string, number>()
  const leavers = new Map<string, Leaver>()

  return {
    enter(principal) {
      refuseLeaver(leavers.get(caller(principal)), nowMs())
      const count = running.get(principal.accountId) ?? 0
      if (count >= options.perAccount) {
        throw new Failure(
          'rate_limited',
          `This account already has ${options.perAccount} calls running. Wait until one of them ends.`,
          { retryAfterS: 1 },
        )
      }
      running.set(principal.accountId, count + 1)
      return once(() => countOut(running, principal.accountId))
    },
    callerLeft(principal) {
      const key = caller(principal)
      const now = nowMs()
      const known = leavers.get(key)
      if (known !== undefined && now - known.since < LEAVES_WINDOW_MS) known.count += 1
      else remember(leavers, key, { count: 1, since: now })
    },
  }
}

function caller(principal: Principal): string {
  return principal.kind === 'key' ? principal.keyId : principal.accountId
}

function refuseLeaver(leaver: Leaver | undefined, now: number): void {
  if (leaver === undefined || leaver.count < LEAVES_ALLOWED) return
  const waitMs = leaver.since + LEAVES_WINDOW_MS - now
  if (waitMs <= 0) return
  throw new Failure(
    'rate_limited',
    'Too many of your calls were broken off before their answer was complete. Please wait.',
    { retryAfterS: Math.ceil(waitMs / 1_000) },
  )
}

/** Oldest first out: a Map keeps the order in which it was filled. */
function remember(leavers: Map<string, Leaver>, key: string, leaver: Leaver): void {
  leavers.delete(key)
  leavers.set(key, leaver)
  if (leavers.size > LEAVERS_REMEMBERED) leavers.delete(leavers.keys().next().value!)
}

function countOut(running: Map<string, number>, accountId: string): void {
  const left = running.get(accountId)! - 1
  if (left === 0) running.delete(accountId)
  else running.set(accountId, left)
}

function once(act: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    act()
  }
}
