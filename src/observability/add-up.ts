import type { MetricReadings } from './metrics.ts'

/** What several processes counted, as if one had: counts are added, gauges as the catalogue says. */
export async function addUp(readings: MetricReadings[]): Promise<{
  text(): Promise<string>
  readings(): Promise<MetricReadings>
}> {
  const { AggregatorRegistry } = await import('prom-client')
  const registry = AggregatorRegistry.aggregate(readings)
  return {
    text: () => registry.metrics(),
    readings: () => registry.getMetricsAsJSON(),
  }
}

/** What stays of a process that has ended: its counters, not its gauges. */
export function counted(readings: MetricReadings): MetricReadings {
  return readings.filter(({ type }) => KEPT.has(String(type)))
}

const KEPT = new Set(['counter', 'histogram'])
