import { setTimeout as sleep } from 'node:timers/promises'
import type { BackgroundJob } from '../../../lib/clock.ts'
import type { Responses } from '../responses.ts'
import { claimResponseJobs, type ClaimedResponse } from './jobs-store.ts'
import { runResponse, type JobTiming } from './run.ts'

const EVERY_MS = 500
/** Of one process. Each waits for an upstream nearly all the time. */
const PARALLEL = 64
const TIMING: JobTiming = { leaseS: 30, beatMs: 2_000 }

/** Runs on every replica. What one process leaves behind another claims when its lease is over. */
export function responseWorker(
  responses: Responses,
  timing: Partial<JobTiming> = {},
): BackgroundJob {
  const work = { ...TIMING, ...timing }
  return {
    name: 'responses',
    everyMs: EVERY_MS,
    async run(stopping) {
      const running = new Set<Promise<void>>()
      try {
        do await fill(responses, running, { timing: work, stopping })
        while (running.size > 0 && !stopping.aborted)
      } finally {
        await Promise.all(running)
      }
    },
  }
}

type Round = { timing: JobTiming; stopping: AbortSignal }

/** Claims only what can run at once. */
async function fill(
  responses: Responses,
  running: Set<Promise<void>>,
  round: Round,
): Promise<void> {
  const limit = PARALLEL - running.size
  const { leaseS } = round.timing
  const jobs = limit > 0 ? await claimResponseJobs(responses.db, { limit, leaseS }) : []
  for (const job of jobs) {
    const work = workOn(responses, job, round).finally(() => running.delete(work))
    running.add(work)
  }
  if (running.size > 0) await sleep(EVERY_MS, undefined, { signal: round.stopping }).catch(() => {})
}

/** A failing one must not stop the others: its lease brings it back. */
async function workOn(responses: Responses, job: ClaimedResponse, round: Round): Promise<void> {
  try {
    await runResponse(responses, job, round)
  } catch (error) {
    const message = 'A response in the background failed; it will be tried again.'
    responses.gateway.billing.log.warn(message, { error })
  }
}
