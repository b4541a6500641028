import type { Db, Tx } from '../db/db.ts'
import { dayAfter, dayAt, startOfDay } from '../lib/days.ts'
import type { BackgroundJob } from '../lib/clock.ts'
import {
  addHealthSample,
  readHealth,
  type HealthCounts,
  type HealthSpan,
  type HealthState,
} from './health-store.ts'

export const STEP_S = 300
const STEPS = 288
const DAYS = 90

/** `unknown`: no process was there to look. */
type ShownState = HealthState | 'unknown'

export type HealthHistory = {
  /** The last 24 hours, oldest first. */
  recent: { at: Date; state: ShownState }[]
  /** Oldest first. Undefined when nothing was recorded. */
  days: { day: string; state: ShownState; upPercent: number | undefined }[]
}

type Upstreams = { upstreams_total: number; upstreams_healthy: number }

/** Looks once a minute, on every replica: a few rows a day, and nothing on the way of a call. */
export function healthRecorder(parts: {
  db: Db
  now(): Date
  timeZone: string
  health(): Upstreams
}): BackgroundJob {
  const { db, now, timeZone, health } = parts
  return {
    name: 'health-history',
    everyMs: 60_000,
    async run() {
      const at = now()
      const day = startOfDay(dayAt(at, timeZone), timeZone)
      await addHealthSample(db, { state: stateOf(health()), step: stepOf(at), day })
    },
  }
}

export async function healthHistory(tx: Tx, now: Date, zone: string): Promise<HealthHistory> {
  const last = stepOf(now).getTime()
  const steps = Array.from(
    { length: STEPS },
    (_, i) => new Date(last - (STEPS - 1 - i) * STEP_S * 1_000),
  )
  const today = dayAt(now, zone)
  const days = Array.from({ length: DAYS }, (_, i) => dayAfter(today, i + 1 - DAYS))
  const ofStep = byTime(await readHealth(tx, 'step', steps[0]!))
  const ofDay = byTime(await readHealth(tx, 'day', startOfDay(days[0]!, zone)))
  return {
    recent: steps.map((at) => ({ at, state: shown(ofStep.get(at.getTime()), 0) })),
    days: days.map((day) => {
      const counts = ofDay.get(startOfDay(day, zone).getTime())
      return { day, state: shown(counts, 0.01), upPercent: counts && upPercent(counts) }
    }),
  }
}

function stateOf({ upstreams_total: total, upstreams_healthy: healthy }: Upstreams): HealthState {
  if (healthy === 0) return 'down'
  return healthy < total ? 'degraded' : 'up'
}

function stepOf(at: Date): Date {
  return new Date(Math.floor(at.getTime() / (STEP_S * 1_000)) * STEP_S * 1_000)
}

function byTime(spans: HealthSpan[]): Map<number, HealthSpan> {
  return new Map(spans.map((span) => [span.at.getTime(), span]))
}

/** Down when it mostly was; degraded when more than the tolerated part of the time was not well. */
function shown(counts: HealthCounts | undefined, tolerated: number): ShownState {
  if (counts === undefined) return 'unknown'
  const { up, degraded, down } = counts
  const all = up + degraded + down
  if (down * 2 > all) return 'down'
  return degraded + down > all * tolerated ? 'degraded' : 'up'
}

/** As long as one upstream is healthy, calls are answered. Never rounded up to 100. */
function upPercent({ up, degraded, down }: HealthCounts): number {
  const all = up + degraded + down
  return Math.floor(((up + degraded) / all) * 10_000) / 100
}
