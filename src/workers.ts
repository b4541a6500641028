import cluster, { type Worker } from 'node:cluster'
import type { Log } from './lib/log.ts'

const RESTART_MS = 1_000

/**
 * WORKERS processes on one port. Each is a whole service of its own on the shared database; this one
 * only starts them, restarts them when they end, and passes signals on.
 */
export async function superviseWorkers(count: number, log: Log): Promise<void> {
  let closing = false
  const started = (worker: Worker) =>
    new Promise<void>((listening) => worker.once('listening', () => listening()))
  const workers = Array.from({ length: count }, () => cluster.fork())
  cluster.on('exit', (worker, code) => {
    if (closing) return
    log.error('A worker ended and will be restarted.', { count: code, job: String(worker.id) })
    setTimeout(() => closing || cluster.fork(), RESTART_MS)
  })
  const close = (signal: NodeJS.Signals) => {
    closing = true
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill(signal)
  }
  process.on('SIGTERM', close)
  process.on('SIGINT', close)
  await Promise.all(workers.map(started))
}
