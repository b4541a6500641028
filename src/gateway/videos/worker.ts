import { setTimeout as sleep } from 'node:timers/promises'
import type { BackgroundJob } from '../../lib/clock.ts'
import type { EndParts } from './end.ts'
import { advanceJob } from './advance.ts'
import { createPacer, VIDEO_TIMING, type VideoTiming, type WorkerParts } from './pacing.ts'
import { HOLD_S } from './jobs-store.ts'
import { claimDueJobs, type ClaimedJob } from './claims-store.ts'
import { giveBack } from './work-store.ts'
import type { Upstreams } from '../../upstream/work.ts'

export type WorkerOptions = Omit<EndParts, 'onStep'> & {
  upstreams: Upstreams
  onStep?: EndParts['onStep'] | undefined
  timing?: Partial<VideoTiming>
  /** Of this process, for all jobs together. */
  perSecond?: number
  parallel?: number
  everyMs?: number
}

const PER_SECOND = 20
const PARALLEL = 16
const EVERY_MS = 1_000

/**
 * Runs on every replica. Requests are limited per second and at once; with more jobs each is
 * checked less often.
 */
export function videoWorker(options: WorkerOptions): BackgroundJob {
  const { everyMs = EVERY_MS, parallel = PARALLEL } = options
  const parts: WorkerParts = {
    ...options,
    onStep: options.onStep ?? (() => {}),
    timing: { ...VIDEO_TIMING, ...options.timing },
    pacer: createPacer({ perSecond: options.perSecond ?? PER_SECOND }),
    random: Math.random,
  }
  return {
    name: 'videos',
    everyMs,
    async run(signal) {
      const running = new Set<Promise<void>>()
      try {
        do await fill(parts, running, { parallel, everyMs, signal })
        while (running.size > 0 && !signal.aborted)
      } finally {
        await Promise.all(running)
      }
    },
  }
}

type Round = { parallel: number; everyMs: number; signal: AbortSignal }

/** Claims only what can run at once. */
async function fill(parts: WorkerParts, running: Set<Promise<void>>, round: Round): Promise<void> {
  const { parallel, everyMs, signal } = round
  const { leaseS } = parts.timing
  const limit = parallel - running.size
  const claim = { limit, leaseS, renewAheadS: HOLD_S / 2 }
  const jobs = limit > 0 ? await claimDueJobs(parts.db, claim) : []
  for (const job of jobs) {
    const work = advance(parts, job, signal).finally(() => running.delete(work))
    running.add(work)
  }
  if (running.size === 0) return
  const resting = new AbortController()
  const rest = sleep(everyMs, undefined, { signal: resting.signal }).catch(() => {})
  await Promise.race([...running, rest])
  resting.abort()
}

/** A failing job must not stop the others: its lease brings it back. */
async function advance(parts: WorkerParts, job: ClaimedJob, signal: AbortSignal): Promise<void> {
  try {
    await advanceJob(parts, job, signal)
  } catch (error) {
    if (!signal.aborted) {
      parts.log.warn('A step of a video job failed; it will be tried again.', {
        job_id: job.id,
        error,
      })
    }
  }
  if (signal.aborted) await giveBack(parts.db, job).catch(() => {})
}
