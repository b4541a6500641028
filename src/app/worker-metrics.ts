import cluster, { type Worker } from 'node:cluster'
import type { Config } from '../config.ts'
import { addUp, counted } from '../observability/add-up.ts'
import type { MetricReadings } from '../observability/metrics.ts'
import { openMetricsPort } from '../observability/port.ts'
import type { WorkerReport } from './workers.ts'

/** The workers share one METRICS_PORT: a scrape asks them all and shows the sum. */
export async function showWorkerMetrics(config: Config): Promise<{ close(): Promise<void> }> {
  const { HOST: host, METRICS_PORT: port } = config
  if (port === undefined) return { close: async () => {} }
  const metrics = new WorkerMetrics()
  cluster.on('exit', (worker) => metrics.ended(worker.id))
  return openMetricsPort({ host, port, text: () => metrics.text() })
}

/** A worker that is starting, or too busy to answer, is shown as it last was. */
const PATIENCE_MS = 3_000

/** What ended workers counted stays in the sum, since a counter must never fall. */
class WorkerMetrics {
  readonly #last = new Map<number, MetricReadings>()
  #past: MetricReadings = []
  #folding: Promise<void> = Promise.resolve()
  #questions = 0

  async text(): Promise<string> {
    const workers = Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? [])
    await Promise.all(workers.map((worker) => this.#ask(worker)))
    const sum = await addUp([...this.#last.values(), this.#past])
    return sum.text()
  }

  ended(worker: number): void {
    this.#folding = this.#folding.then(() => this.#fold(worker))
  }

  /** Its counts are always in exactly one of the two sums. */
  async #fold(worker: number): Promise<void> {
    const sum = await addUp([this.#past, counted(this.#last.get(worker) ?? [])])
    this.#past = await sum.readings()
    this.#last.delete(worker)
  }

  #ask(worker: Worker): Promise<void> {
    const question = ++this.#questions
    return new Promise((done) => {
      const stop = () => {
        clearTimeout(timer)
        worker.off('message', hear).off('exit', stop)
        done()
      }
      const hear = (report: WorkerReport) => {
        if (!('counted' in report) || report.question !== question) return
        this.#last.set(worker.id, report.counted)
        stop()
      }
      const timer = setTimeout(stop, PATIENCE_MS)
      worker.on('message', hear).on('exit', stop)
      // One that is about to end cannot be asked; its exit is heard.
      if (worker.isConnected()) worker.send({ question }, () => {})
      else stop()
    })
  }
}
