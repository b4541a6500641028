import type { Counter, Gauge, Histogram } from 'prom-client'
import { creditsNumber } from '../ledger/money.ts'
import type { Meter } from '../lib/telemetry/meter.ts'
import type { METRICS } from './catalogue.ts'

type Catalogue = typeof METRICS

type Made = { counter: Counter; gauge: Gauge; histogram: Histogram }

/** The counters and histograms of the catalogue, by name. */
export type Instruments = {
  [Name in keyof Catalogue]: Made[Catalogue[Name]['kind']]
}

/** Models are ours, from the catalog, but there may be hundreds: from here on they are `other`. */
const MOST_MODELS = 200

export function openMeter(to: Instruments): Meter {
  const model = bounded(MOST_MODELS)
  return {
    answered(route, status, durationMs) {
      to.mlango_http_answer_seconds.observe({ route, status: String(status) }, durationMs / 1_000)
    },
    attempted(attempt) {
      const { upstream, operation, outcome } = attempt
      const seconds = attempt.durationMs / 1_000
      const labels = { upstream, model: model(attempt.model), outcome }
      to.mlango_upstream_attempts_total.inc(labels)
      if (outcome !== 'ok') return
      if (operation === 'chatStream') {
        to.gen_ai_server_time_to_first_token_seconds.observe(
          { gen_ai_provider_name: upstream },
          seconds,
        )
      } else {
        to.gen_ai_client_operation_duration_seconds.observe(
          { gen_ai_operation_name: operation, gen_ai_provider_name: upstream },
          seconds,
        )
      }
    },
    leftOut(parameter) {
      to.mlango_ignored_parameters_total.inc({ parameter })
    },
    recorded(record) {
      const { kind, status } = record
      to.mlango_paid_calls_total.inc({ kind, status })
      const charged = { kind, model: model(record.model) }
      if (record.costMicro > 0n) {
        to.mlango_charged_credits_total.inc(charged, creditsNumber(record.costMicro))
      }
      to.mlango_uncollected_credits_total.inc(creditsNumber(record.uncollectedMicro ?? 0n))
      for (const [type, tokens] of [
        ['input', record.promptTokens],
        ['output', record.completionTokens],
      ] as const) {
        if (tokens === undefined) continue
        const labels = { gen_ai_operation_name: kind, gen_ai_token_type: type }
        to.gen_ai_client_token_usage.observe(labels, tokens)
      }
    },
    committed({ size, durationMs, ok }) {
      to.mlango_commit_batch_size.observe(size)
      to.mlango_commit_seconds.observe(durationMs / 1_000)
      if (!ok) to.mlango_commit_failures_total.inc()
    },
    replayed(outcome) {
      to.mlango_replays_total.inc({ outcome })
    },
  }
}

/** Keeps the first values and replaces later ones by `other`, so that the series are bounded. */
function bounded(most: number): (value: string) => string {
  const known = new Set<string>()
  return (value) => {
    if (known.has(value)) return value
    if (known.size >= most) return 'other'
    known.add(value)
    return value
  }
}
