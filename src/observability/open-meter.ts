import type { Counter, Gauge, Histogram } from 'prom-client'
import { creditsNumber } from '../ledger/money.ts'
import type { Meter } from '../lib/telemetry/meter.ts'
import type { METRICS } from './catalogue.ts'
import { operationOf, providerOf } from './gen-ai.ts'

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
    attempted({ upstream, model: name, outcome }) {
      to.mlango_upstream_attempts_total.inc({ upstream, model: model(name), outcome })
    },
    ended(attempt) {
      const { outcome, durationMs, firstChunkMs, input, output } = attempt
      const of = {
        gen_ai_operation_name: operationOf(attempt.operation),
        gen_ai_provider_name: providerOf(attempt.provider),
        gen_ai_request_model: model(attempt.model),
      }
      // An empty label is none.
      const error_type = outcome === 'ok' ? '' : outcome
      const seconds = durationMs / 1_000
      to.gen_ai_client_operation_duration_seconds.observe({ ...of, error_type }, seconds)
      if (firstChunkMs !== undefined) {
        const first = to.gen_ai_client_operation_time_to_first_chunk_seconds
        first.observe(of, firstChunkMs / 1_000)
      }
      for (const [gen_ai_token_type, tokens] of Object.entries({ input, output })) {
        if (tokens === undefined) continue
        to.gen_ai_client_token_usage.observe({ ...of, gen_ai_token_type }, tokens)
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
