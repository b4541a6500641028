import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Counts an answer: which route, which status, how long. */
export type Observe = (route: string, status: number, durationMs: number) => void

export type Metrics = {
  port: number
  observe: Observe
  /** Adds what can only be read off a running house. */
  watch(gauges: Gauges): void
  close(): Promise<void>
}

/** Read at every scrape. */
export type Gauges = {
  runningCalls(): number
  models(): number
  upstreams(): number
  healthyUpstreams(): number
  /** Asked of the database: the same in every process. */
  paymentsToReview(): Promise<number>
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]

/** Prometheus metrics on a port of their own. Labels are routes and statuses: nothing of a caller. */
export async function openMetrics(options: { host: string; port: number }): Promise<Metrics> {
  // Imported on demand: a process without METRICS_PORT never loads it.
  const { Registry, Histogram, Gauge, collectDefaultMetrics } = await import('prom-client')
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'mlango_' })
  const answers = new Histogram({
    name: 'mlango_http_answer_seconds',
    help: 'Time from request to answer, or to the first byte of a stream',
    labelNames: ['route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  })
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name: `mlango_${name}`,
      help,
      registers: [registry],
      async collect() {
        try {
          this.set(await read())
        } catch {
          // The database is away: the other metrics are wanted now more than ever.
          this.remove()
        }
      },
    })
  const server = createServer((request, response) => {
    if (request.url === '/metrics') {
      registry.metrics().then(
        (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
        () => response.writeHead(500).end(),
      )
    } else response.writeHead(404).end()
  })
  await new Promise<void>((listening, failed) => {
    server.once('error', failed)
    server.listen(options.port, options.host, listening)
  })
  return {
    port: (server.address() as AddressInfo).port,
    observe: (route, status, ms) => answers.labels(route, String(status)).observe(ms / 1_000),
    watch(gauges) {
      gauge('running_calls', 'Calls in flight', gauges.runningCalls)
      gauge('models', 'Models in the catalog', gauges.models)
      gauge('upstreams', 'Upstreams', gauges.upstreams)
      gauge('upstreams_healthy', 'Upstreams that work', gauges.healthyUpstreams)
      gauge('payments_to_review', 'Payments that need a person', gauges.paymentsToReview)
    },
    close: () => new Promise((closed) => server.close(() => closed())),
  }
}
