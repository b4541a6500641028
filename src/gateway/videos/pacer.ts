import { setTimeout as sleep } from 'node:timers/promises'

/** Lets one through every so often: what waits behind it waits longer, and nothing bursts. */
export type Pacer = { turn(signal?: AbortSignal): Promise<void> }

export function createPacer(options: { perSecond: number; nowMs?: () => number }): Pacer {
  const nowMs = options.nowMs ?? (() => performance.now())
  const gapMs = 1_000 / options.perSecond
  let nextMs = 0
  return {
    async turn(signal) {
      const now = nowMs()
      const mine = Math.max(now, nextMs)
      nextMs = mine + gapMs
      if (mine > now) await sleep(mine - now, undefined, signal ? { signal } : {})
    },
  }
}
