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
   * committed first.
   */
  enter(accountId: string, worstCaseMicro: bigint): (() => void) | undefined
}

export function openUnconfirmed(options: {
  capMicro: bigint
  /** The account as it was last committed, where that can be relied on. */
  known(accountId: string): LedgerAccount | undefined
}): Unconfirmed {
  const sums = new Map<string, bigint>()
  return {
    enter(accountId, worstCaseMicro) {
      const account = options.known(accountId)
      if (account === undefined) return undefined
      const sumMicro = (sums.get(accountId) ?? 0n) + worstCaseMicro
      if (sumMicro > options.capMicro || sumMicro * EASY_PAYMENT_FACTOR > uncommitted(account))
        return undefined
      sums.set(accountId, sumMicro)
      return () => {
        const leftMicro = sums.get(accountId)! - worstCaseMicro
        if (leftMicro === 0n) sums.delete(accountId)
        else sums.set(accountId, leftMicro)
      }
    },
  }
}
