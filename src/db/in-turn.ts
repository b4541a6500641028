/**
 * Large reads on behalf of accounts: one account's go one after another, and all accounts' together
 * are at most `most`, first come, first served. So no account has more than one connection for them,
 * and the rest of the pool is there for everything else.
 */
export function openTurns(most: number): Turns {
  const last = new Map<string, Promise<void>>()
  const waiting: (() => void)[] = []
  let running = 0

  async function enter(): Promise<void> {
    if (running < most) running += 1
    else await new Promise<void>((begin) => waiting.push(begin))
  }

  /** Whoever waits gets the place itself. */
  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }

  return async (accountId, work) => {
    const before = last.get(accountId)
    const { promise: over, resolve: end } = Promise.withResolvers<void>()
    last.set(accountId, over)
    await before
    await enter()
    try {
      return await work()
    } finally {
      leave()
      if (last.get(accountId) === over) last.delete(accountId)
      end()
    }
  }
}

export type Turns = <T>(accountId: string, work: () => Promise<T>) => Promise<T>
