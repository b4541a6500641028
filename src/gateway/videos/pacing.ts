import { setTimeout as sleep } from 'node:timers/promises'
import type { Upstreams } from '../../upstream/work.ts'
import type { EndParts } from './end.ts'

export type WorkerParts = EndParts & {
  upstreams: Upstreams
  pacer: Pacer
  timing: VideoTiming
  random: () => number
}

export type VideoTiming = {
  /** Longer than a call may take, so that a live worker never loses its claim. */
  leaseS: number
  callMs: number
  firstPollS: number
  longestPollS: number
  firstRetryS: number
  mostSubmits: number
}

export const VIDEO_TIMING: VideoTiming = {
  leaseS: 90,
  callMs: 60_000,
  firstPollS: 2,
  longestPollS: 30,
  firstRetryS: 1,
  mostSubmits: 8,
}

/** A call ends before its claim does. */
export function callSignal({ timing }: WorkerParts, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timing.callMs)])
}

/** Half as long again each time, up to a fifth more or less, so that jobs spread out. */
export function backOff({ timing, random }: WorkerParts, firstS: number, times: number): number {
  const s = Math.min(firstS * 1.5 ** Math.min(times, 20), timing.longestPollS)
  return s * (0.8 + random() * 0.4)
}

/** Spaces requests evenly. */
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
