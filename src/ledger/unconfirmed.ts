import { LRUCache } from 'lru-cache'
import { EASY_PAYMENT_FACTOR, uncommitted, type LedgerAccount } from './ledger.ts'

/**
 * Calls that ask their upstream while their hold is on its way. An upstream takes tens to thousands
 * of milliseconds, so nobody waits for a hold; what an account can cost beyond what it pays because
 * of this is at most `capMicro` for each process.
 */
export type Unconfirmed = {
  /**
   * Counts the call if its upstream may be asked at once: the account, as this process last
   * committed it, pays many times over what this call and its others that are counted may cost, and
   * all of them together are within the cap. Gives what ends the count; undefined if the hold must be
   * committed first, as it must for a day after the account turned out to have less than expected:
   * else two processes could be played off against each other again and again.
   */
  enter(accountId: string, worstCaseMicro: bigint): Leave | undefined
}

/** Told whether the hold was granted with the limit that the account was expected to afford. */
type Leave = (outcome: { asExpected: boolean }) => void

const DISTRUST_MS = 24 * 3_600_000
const MOST_DISTRUSTED = 20_000

export function openUnconfirmed(options: {
  capMicro: bigint
  /** The account as it was last committed, where that can be relied on. */
  known(accountId: string): LedgerAccount | undefined
  nowMs?: () => number
}): Unconfirmed {
  const { capMicro, known, nowMs = () => performance.now() } = options
  const sums = new Map<string, bigint>()
  const distrustedUntilMs = new LRUCache<string, number>({ max: MOST_DISTRUSTED })
  return {
    enter(accountId, worstCaseMicro) {
      const account = known(accountId)
      if (account === undefined) return undefined
      if ((distrustedUntilMs.get(accountId) ?? -Infinity) > nowMs()) return undefined
      const sumMicro = (sums.get(accountId) ?? 0n) + worstCaseMicro
      if (sumMicro > capMicro || sumMicro * EASY_PAYMENT_FACTOR > uncommitted(account))
        return undefined
      sums.set(accountId, sumMicro)
      return ({ asExpected }) => {
        if (!asExpected) distrustedUntilMs.set(accountId, nowMs() + DISTRUST_MS)
        const leftMicro = sums.get(accountId)! - worstCaseMicro
        if (leftMicro === 0n) sums.delete(accountId)
        else sums.set(accountId, leftMicro)
      }
    },
  }
}
