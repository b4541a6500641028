import { setTimeout as sleep } from 'node:timers/promises'
import type { BackgroundJob } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

export type RunningJobs = {
  /** Aborts the signal, starts nothing more, and resolves when what runs has ended. */
  stop(): Promise<void>
}

/** Begun at the same moment, each job would open a connection of its own to the database. */
const APART_MS = 20

/**
 * Runs each job, one soon after the other, and then again and again. A job that fails is logged and
 * tried again.
 */
export function startBackgroundJobs(jobs: BackgroundJob[], log: Log): RunningJobs {
  const stopping = new AbortController()
  const { signal } = stopping
  const running = jobs.map(async (job, i) => {
    if (i > 0) await pause(i * APART_MS, signal)
    await repeat(job, signal, log)
  })
  return {
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

async function repeat(job: BackgroundJob, signal: AbortSignal, log: Log): Promise<void> {
  while (!signal.aborted) {
    try {
      await job.run(signal)
    } catch (error) {
      // One failed round must not end the job; what it left undone the next round finds.
      if (!signal.aborted)
        log.warn('A background job failed; it will be tried again.', { job: job.name, error })
    }
    await pause(job.everyMs * jitter(), signal)
  }
}

/** Up to a tenth more or less, so that replicas do not all come at the same moment. */
function jitter(): number {
  return 0.9 + Math.random() * 0.2
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
