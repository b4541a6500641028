import { setTimeout as sleep } from 'node:timers/promises'
import { createPacer } from './pacer.ts'
import type { EndParts } from './end.ts'
import { look } from './check.ts'
import { VIDEO_TIMING, type LookParts, type VideoTiming } from './timing.ts'
import { HOLD_S } from './jobs-store.ts'
import { claimDueJobs, type ClaimedJob } from './claims-store.ts'
import { giveBack } from './work-store.ts'
import type { Upstreams } from '../../upstream/work.ts'

export type WorkerOptions = Omit<EndParts, 'onStep'> & {
  upstreams: Upstreams
  onStep?: EndParts['onStep']
  timing?: Partial<VideoTiming>
  /** Requests per second of this process, however many jobs there are. */
  perSecond?: number
  parallel?: number
  everyMs?: number
}

const PER_SECOND = 20
const PARALLEL = 16
const EVERY_MS = 1_000

/**
 * A duty on every replica: claims due jobs and looks at each. What it asks of upstreams is bounded
 * per second and at once; with more jobs than that, each is asked about less often.
 */
export function videoWorker(options: WorkerOptions): {
  name: string
  everyMs: number
  run(signal: AbortSignal): Promise<void>
} {
  const { everyMs = EVERY_MS, parallel = PARALLEL } = options
  const parts: LookParts = {
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
      const lanes = new Set<Promise<void>>()
      try {
        do await fill(parts, lanes, { parallel, everyMs, signal })
        while (lanes.size > 0 && !signal.aborted)
      } finally {
        await Promise.all(lanes)
      }
    },
  }
}

type Round = { parallel: number; everyMs: number; signal: AbortSignal }

/** Claims no more than there are free lanes, so that nothing claimed lies waiting. */
async function fill(parts: LookParts, lanes: Set<Promise<void>>, round: Round): Promise<void> {
  const { parallel, everyMs, signal } = round
  const { leaseS } = parts.timing
  const limit = parallel - lanes.size
  const claim = { limit, leaseS, renewAheadS: HOLD_S / 2 }
  const jobs = limit > 0 ? await claimDueJobs(parts.db, claim) : []
  for (const job of jobs) {
    const lane = runLane(parts, job, signal).finally(() => lanes.delete(lane))
    lanes.add(lane)
  }
  if (lanes.size === 0) return
  const resting = new AbortController()
  const rest = sleep(everyMs, undefined, { signal: resting.signal }).catch(() => {})
  await Promise.race([...lanes, rest])
  resting.abort()
}

/** One job's trouble must not stop the others: it is logged, and its lease brings it back. */
async function runLane(parts: LookParts, job: ClaimedJob, signal: AbortSignal): Promise<void> {
  try {
    await look(parts, job, signal)
  } catch (error) {
    if (!signal.aborted) {
      parts.log.warn('A look at a video job failed; it will be repeated.', {
        job_id: job.id,
        error,
      })
    }
  }
  if (signal.aborted) await giveBack(parts.db, job).catch(() => {})
}
