import type { Upstreams } from '../../upstream/work.ts'
import type { Pacer } from './pacer.ts'
import type { EndParts } from './end.ts'

export type LookParts = EndParts & {
  upstreams: Upstreams
  pacer: Pacer
  timing: VideoTiming
  random: () => number
}

export type VideoTiming = {
  /** Longer than a call may take: a live worker never loses its claim. */
  leaseS: number
  callMs: number
  firstPollS: number
  longestPollS: number
  firstRetryS: number
  /** After so many tries nobody took it. */
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

/** One call ends before its claim does. */
export function patienceOf({ timing }: LookParts, signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(timing.callMs)])
}

/** Half as long again each time, and up to a fifth more or less, so that jobs spread out. */
export function backOff({ timing, random }: LookParts, firstS: number, times: number): number {
  const s = Math.min(firstS * 1.5 ** Math.min(times, 20), timing.longestPollS)
  return s * (0.8 + random() * 0.4)
}
