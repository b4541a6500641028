import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../lib/log.ts'
import type { MetricReadings } from '../observability/metrics.ts'

/** What a worker reports to its supervisor. */
export type WorkerReport =
  | { serving: string }
  | { cannotStart: string }
  | { counted: MetricReadings; question: number }

/** What the supervisor asks of a worker. */
export type WorkerQuestion = { question: number }

export type Workers = {
  address: string
  /** Ends them all and waits until they have drained. */
  end(): Promise<void>
}

/** A worker did not come up at the first start: the message says why. */
class WorkerError extends Error {
  override readonly name = 'WorkerError'
}

/**
 * Starts processes on one port, each a whole service of its own on the shared database. If one of
 * them cannot start, none stays; one that ends later is started again.
 */
export async function startWorkers(options: {
  count: number
  /** Added to the environment of each. */
  env: Record<string, string>
  log: Log
}): Promise<Workers> {
  const { count, env, log } = options
  const closing = new AbortController()
  const first = Array.from({ length: count }, () => forkWorker(env))
  let running: Promise<void>[] = []
  const end = async () => {
    closing.abort()
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM')
    await Promise.all([...running, ...first.map((worker) => worker.ended)])
  }
  try {
    const [address] = await Promise.all(first.map(servingOrEnded))
    running = first.map((worker) => keepRunning(worker, { env, log, signal: closing.signal }))
    return { address: address!, end }
  } catch (error) {
    await end()
    throw error
  }
}

type ForkedWorker = { id: number; serving: Promise<string>; ended: Promise<string> }

function forkWorker(env: Record<string, string>): ForkedWorker {
  const worker: Worker = cluster.fork(env)
  let reason: string | undefined
  const serving = new Promise<string>((done) =>
    worker.on('message', (report: WorkerReport) => {
      if ('serving' in report) done(report.serving)
      else if ('cannotStart' in report) reason = report.cannotStart
    }),
  )
  const ended = new Promise<string>((done) =>
    worker.once('exit', (code, signal) => done(reason ?? signal ?? `exit code ${code}`)),
  )
  return { id: worker.id, serving, ended }
}

function servingOrEnded({ serving, ended }: ForkedWorker): Promise<string> {
  const failed = ended.then((reason) => {
    throw new WorkerError(reason)
  })
  return Promise.race([serving, failed])
}

async function keepRunning(
  first: ForkedWorker,
  { env, log, signal }: { env: Record<string, string>; log: Log; signal: AbortSignal },
): Promise<void> {
  let waitMs = FIRST_WAIT_MS
  for (let worker = first; ; worker = forkWorker(env)) {
    const startedAt = performance.now()
    const reason = await worker.ended
    if (signal.aborted) return
    log.error('A worker ended and will be restarted.', { reason, job: String(worker.id) })
    if (performance.now() - startedAt > STEADY_MS) waitMs = FIRST_WAIT_MS
    await sleep(waitMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
  }
}

const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000
const STEADY_MS = 60_000
