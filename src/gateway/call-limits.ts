import { LRUCache } from 'lru-cache'
import { Failure } from '../lib/failure.ts'
import type { Principal } from '../accounts/principal.ts'
import type { Stage } from './bill/rows.ts'

export type CallLimits = {
  /**
   * Throws when the limit is reached. The returned function ends the call; a second call of it does
   * nothing.
   */
  enter(principal: Principal): () => void
  /** Answers of this kind of call are such that we may refuse them. */
  doubt(accountId: string, kind: Stage['kind']): void
  doubts(accountId: string, kind: Stage['kind']): boolean
}

const MOST_DOUBTED = 50_000
const DAY_MS = 86_400_000

/** Counted per process: this limits damage, it is not a quota. */
export function createCallLimits(options: { perAccount: number }): CallLimits {
  const running = new Map<string, number>()
  const doubted = new LRUCache<string, true>({ max: MOST_DOUBTED, ttl: DAY_MS })
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
    doubt: (accountId, kind) => void doubted.set(`${accountId} ${kind}`, true),
    doubts: (accountId, kind) => doubted.has(`${accountId} ${kind}`),
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
