import type { Db } from '../db/db.ts'
import type { BackgroundJob } from '../lib/clock.ts'
import { addLatencies, emptyLatencies, latencyAt } from '../lib/telemetry/latency.ts'
import { addMinutes, type UpstreamMinute } from './upstream-minutes-store.ts'

const MINUTE_MS = 60_000
const LOOK_MS = 10_000
/** A database that is away for hours must not fill the memory: what is older is given up. */
const MOST_KEPT = 2_000

type Counts = { calls: number; errors: number; latencies: number[] }

/**
 * Takes what was counted of every upstream to the minute it belongs to, and writes it when that minute
 * is over: once a minute, and nothing on the way of a call.
 */
export function upstreamMinutes(parts: {
  db: Db
  now(): Date
  /** What was counted since the last time, by name. */
  take(): Map<string, Counts>
  /** Names of upstreams that are in trouble, as this process sees it. */
  troubled(): readonly string[]
}): { job: BackgroundJob; flush(): Promise<void> } {
  const { db, now } = parts
  let minutes = new Map<string, UpstreamMinute>()
  let writtenMs = minuteAt(now())
  const add = (upstream: string, at: Date, more: Counts & { troubled: number }) => {
    const key = `${at.getTime()} ${upstream}`
    minutes.set(key, sumOf(minutes.get(key) ?? { upstream, at, ...NOTHING }, more))
  }
  const gather = () => {
    const at = new Date(minuteAt(now()))
    for (const [upstream, counts] of parts.take()) add(upstream, at, { ...counts, troubled: 0 })
    for (const upstream of parts.troubled()) add(upstream, at, { ...NOTHING, troubled: 1 })
  }
  const flush = async () => {
    gather()
    const written = [...minutes.values()]
    if (written.length === 0) return
    minutes = new Map()
    try {
      await addMinutes(db, written)
    } catch (error) {
      // The next round brings them along.
      for (const one of written.slice(-MOST_KEPT)) add(one.upstream, one.at, one)
      throw error
    }
  }
  return {
    job: {
      name: 'upstream-minutes',
      everyMs: LOOK_MS,
      async run() {
        const atMs = minuteAt(now())
        if (atMs === writtenMs) return gather()
        writtenMs = atMs
        await flush()
      },
    },
    flush,
  }
}

const NOTHING = { calls: 0, errors: 0, latencies: emptyLatencies(), troubled: 0 }

function minuteAt(at: Date): number {
  return Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS
}

/** One process counts as troubled once, however often it looked in that minute. */
function sumOf(one: UpstreamMinute, more: Counts & { troubled: number }): UpstreamMinute {
  return {
    ...one,
    calls: one.calls + more.calls,
    errors: one.errors + more.errors,
    latencies: addLatencies(one.latencies, more.latencies),
    troubled: Math.max(one.troubled, more.troubled),
  }
}

export type UpstreamFigures = {
  calls: number
  errors: number
  p50Ms: number | undefined
  p95Ms: number | undefined
}

/** Several minutes as one. */
export function upstreamFigures(minutes: readonly UpstreamMinute[]): UpstreamFigures {
  const latencies = minutes.reduce((sum, one) => addLatencies(sum, one.latencies), emptyLatencies())
  return {
    calls: minutes.reduce((sum, { calls }) => sum + calls, 0),
    errors: minutes.reduce((sum, { errors }) => sum + errors, 0),
    p50Ms: latencyAt(0.5, latencies),
    p95Ms: latencyAt(0.95, latencies),
  }
}
