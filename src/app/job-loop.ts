import { setTimeout as sleep } from 'node:timers/promises'
import type { Duty } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'

export type Duties = {
  /** Aborts the signal, starts nothing more, and resolves when what runs has ended. */
  stop(): Promise<void>
}

/** Begun at the same moment, each duty would open a connection of its own to the database. */
const APART_MS = 20

/**
 * Runs each duty, one soon after the other, and then again and again. A duty that fails is logged and
 * tried again.
 */
export function startDuties(duties: Duty[], log: Log): Duties {
  const stopping = new AbortController()
  const { signal } = stopping
  const running = duties.map(async (duty, i) => {
    if (i > 0) await pause(i * APART_MS, signal)
    await repeat(duty, signal, log)
  })
  return {
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}

async function repeat(duty: Duty, signal: AbortSignal, log: Log): Promise<void> {
  while (!signal.aborted) {
    try {
      await duty.run(signal)
    } catch (error) {
      // One failed round must not end the duty; what it left undone the next round finds.
      if (!signal.aborted)
        log.warn('A background duty failed; it will be tried again.', { job: duty.name, error })
    }
    await pause(duty.everyMs * jitter(), signal)
  }
}

/** Up to a tenth more or less, so that replicas do not all come at the same moment. */
function jitter(): number {
  return 0.9 + Math.random() * 0.2
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {})
}
