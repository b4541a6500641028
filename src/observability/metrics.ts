import type { Gauge, Metric, MetricObjectWithValues, MetricValue } from 'prom-client'
import type { Meter } from '../lib/telemetry/meter.ts'
import { openMeter, type Instruments } from './open-meter.ts'
import { METRICS, type MetricEntry, type MetricName } from './catalogue.ts'

export type Metrics = {
  meter: Meter
  /** Adds what can only be read off a running app. */
  watch(gauges: Gauges): void
  /** What a scrape shows, read now. */
  text(): Promise<string>
  /** The same, to be added up with what other processes counted. */
  readings(): Promise<MetricReadings>
}

export type MetricReadings = MetricObjectWithValues<MetricValue<string>>[]

/** A value, or one for each value of the metric's only label. */
export type GaugeReading = number | undefined | readonly { label: string; value: number }[]

/** Read at every scrape. */
export type Gauges = Partial<Record<MetricName, () => GaugeReading | Promise<GaugeReading>>>

/** Prometheus metrics of this process. Labels hold nothing of a caller. */
export async function createMetrics(): Promise<Metrics> {
  // Imported on demand: a process without METRICS_PORT never loads it.
  const client = await import('prom-client')
  const registry = new client.Registry()
  client.collectDefaultMetrics({ register: registry, prefix: 'mlango_' })
  const made = new Map<string, Metric>()
  for (const [name, entry] of Object.entries<MetricEntry>(METRICS)) {
    const shared = { name, help: entry.help, registers: [registry] }
    const labelNames = [...(entry.labels ?? [])]
    if (entry.kind === 'counter') made.set(name, new client.Counter({ ...shared, labelNames }))
    if (entry.kind === 'gauge') {
      // Most are read from the database, and are the same wherever they are read.
      const aggregator = entry.across ?? 'max'
      made.set(name, new client.Gauge({ ...shared, labelNames, aggregator }))
    }
    if (entry.kind === 'histogram') {
      const buckets = [...(entry.buckets ?? [])]
      made.set(name, new client.Histogram({ ...shared, labelNames, buckets }))
    }
  }
  const gauges: Gauges = {}
  return {
    meter: openMeter(Object.fromEntries(made) as Instruments),
    watch: (more) => void Object.assign(gauges, more),
    async text() {
      await readAll(gauges, made)
      return registry.metrics()
    },
    async readings() {
      await readAll(gauges, made)
      return registry.getMetricsAsJSON()
    },
  }
}

async function readAll(gauges: Gauges, made: Map<string, Metric>): Promise<void> {
  await Promise.all(
    Object.entries(gauges).map(async ([name, read]) => {
      const gauge = made.get(name) as Gauge
      // The database may be down, which is when the other metrics matter most.
      const reading = await Promise.resolve()
        .then(read)
        .catch(() => undefined)
      set(gauge, METRICS[name as MetricName], reading)
    }),
  )
}

function set(gauge: Gauge, entry: MetricEntry, reading: GaugeReading): void {
  gauge.reset()
  if (reading === undefined) {
    // After `reset` a gauge without labels would show 0.
    if (entry.labels === undefined) gauge.remove()
  } else if (typeof reading === 'number') gauge.set(reading)
  else for (const { label, value } of reading) gauge.set({ [entry.labels![0]!]: label }, value)
}
