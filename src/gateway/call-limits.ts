import { LRUCache } from 'lru-cache'
import { Failure } from '../lib/failure.ts'
import type { Principal } from '../lib/principal.ts'

/** How many calls of an account may run at once, and how much work its callers may walk away from. */
export type CallLimits = {
  /** Counts a running call in; the function it gives counts it out, once. Throws when full. */
  enter(principal: Principal): () => void
  /**
   * A caller leaves who has not got anything yet, but for whom the upstream works: counted at what
   * was reserved, since nobody knows how far it is. False when too much was left so in a day: then
   * the call is finished and charged.
   */
  mayLeave(principal: Principal, reservedMicro: bigint): boolean
}

const DAY_MS = 24 * 3_600_000
const LEAVERS_REMEMBERED = 10_000

/** Counted per process: a cap on damage, not a quota. */
export function createCallLimits(options: { perAccount: number; leftMicro: bigint }): CallLimits {
  const running = new Map<string, number>()
  // A day from the first one, not from the last.
  const day = { max: LEAVERS_REMEMBERED, ttl: DAY_MS, noUpdateTTL: true }
  const left = new LRUCache<string, bigint>(day)
  return {
    enter({ accountId }) {
      const count = running.get(accountId) ?? 0
      if (count >= options.perAccount) {
        throw new Failure(
          'rate_limited',
          `This account already has ${options.perAccount} calls running. Wait until one of them ends.`,
          { retryAfterS: 1 },
        )
      }
      running.set(accountId, count + 1)
      return once(() => countOut(running, accountId))
    },
    mayLeave({ accountId }, reservedMicro) {
      const known = left.get(accountId) ?? 0n
      if (known > options.leftMicro) return false
      left.set(accountId, known + reservedMicro)
      return true
    },
  }
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
