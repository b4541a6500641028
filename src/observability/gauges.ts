import { statfs } from 'node:fs/promises'
import { readBacklog, readUnpaid, type Backlog } from './backlog-store.ts'
import { creditsNumber } from '../ledger/money.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Db } from '../db/db.ts'
import type { GaugeReading, Gauges } from './metrics.ts'
import type { Payments } from '../payments/payments.ts'
import type { Upstreams } from '../upstream/work.ts'

type GaugeParts = {
  db: Db
  dataDir: string
  catalog: Catalog
  upstreams: Upstreams
  payments: Payments
  runningCalls: () => number
  ledgerFindings: () => number | undefined
}

/** Values read at each scrape. Those from the database are the same in every process. */
export function gaugesOf(parts: GaugeParts): Gauges {
  const { db, dataDir, catalog, upstreams, payments } = parts
  const backlog = shared(() => readBacklog(db))
  const waiting = (what: string, of: 'count' | 'oldestS', states: readonly string[]) => async () =>
    readingOf(await backlog(), { what, of, states })
  const open = ['open']
  const live = ['pending', 'processing']
  const unsent = ['waiting', 'dead']
  return {
    mlango_running_calls: parts.runningCalls,
    mlango_models: () => catalog.index().models.length,
    mlango_upstreams: () => upstreams.health().upstreams_total,
    mlango_upstreams_healthy: () => upstreams.health().upstreams_healthy,
    mlango_upstream_circuits_open: () => openCircuits(upstreams),
    mlango_database_connections: () => connectionsOf(db),
    mlango_holds: async () => first(await waiting('holds', 'count', open)()),
    mlango_holds_oldest_seconds: async () => first(await waiting('holds', 'oldestS', open)()),
    mlango_payments: waiting('payments', 'count', ['pending']),
    mlango_payments_oldest_seconds: waiting('payments', 'oldestS', ['pending']),
    mlango_payments_to_review: payments.countToReview,
    mlango_video_jobs: waiting('video_jobs', 'count', live),
    mlango_video_jobs_oldest_seconds: waiting('video_jobs', 'oldestS', live),
    mlango_outbox_messages: waiting('outbox_messages', 'count', unsent),
    mlango_outbox_oldest_seconds: waiting('outbox_messages', 'oldestS', unsent),
    mlango_unpaid_credits: async () => creditsNumber(await readUnpaid(db)),
    mlango_books_findings: parts.ledgerFindings,
    mlango_disk_free_bytes: async () => (await disk(dataDir)).free,
    mlango_disk_size_bytes: async () => (await disk(dataDir)).size,
  }
}

type Labelled = { label: string; value: number }[]

/** A state in which nothing waits is 0, not absent, so that an alert can end. */
function readingOf(
  backlog: Backlog[],
  { what, of, states }: { what: string; of: 'count' | 'oldestS'; states: readonly string[] },
): Labelled {
  return states.map((label) => {
    const found = backlog.find((one) => one.what === what && one.state === label)
    return { label, value: found?.[of] ?? 0 }
  })
}

function first(readings: Labelled): number {
  return readings[0]!.value
}

function openCircuits(upstreams: Upstreams): GaugeReading {
  const open = upstreams.problems().filter(({ why }) => why === 'circuit_open')
  return upstreams.list.map(({ name }) => ({
    label: name,
    value: open.filter(({ upstream }) => upstream === name).length,
  }))
}

function connectionsOf(db: Db): GaugeReading {
  const { open, idle, waiting } = db.connections()
  return [
    { label: 'busy', value: open - idle },
    { label: 'idle', value: idle },
    { label: 'waiting', value: waiting },
  ]
}

async function disk(folder: string): Promise<{ free: number; size: number }> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return { free: bavail * bsize, size: blocks * bsize }
}

/** Several metrics of one scrape share one query. */
function shared<T>(ask: () => Promise<T>): () => Promise<T> {
  let asking: Promise<T> | undefined
  return () =>
    (asking ??= ask().finally(() => {
      asking = undefined
    }))
}
