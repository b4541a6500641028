import { setTimeout as wait } from 'node:timers/promises'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  SamplingDecision,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace'
import type { Log } from '../lib/log.ts'
import type { Traces } from '../lib/telemetry/trace.ts'
import { spanTracer } from './spans.ts'

/** Spans that wait to be sent; more are dropped, and no call waits. */
const MOST_WAITING = 8_192
const SEND_EVERY_MS = 2_000
const LAST_SEND_MS = 3_000

/** `share` of the calls is traced. A caller's `traceparent` names the trace, and decides nothing. */
export function exportTraces(
  { endpoint, service, share }: { endpoint: string; service: string; share: number },
  log: Log,
): Traces {
  const base = endpoint.endsWith('/') ? endpoint : `${endpoint}/`
  const exporter = new OTLPTraceExporter({ url: new URL('v1/traces', base).href })
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': service })),
    sampler: new ParentBasedSampler({
      root: ours(share),
      remoteParentSampled: ours(share),
      remoteParentNotSampled: ours(share),
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: logged(exporter, log),
        maxQueueSize: MOST_WAITING,
        scheduledDelayMillis: SEND_EVERY_MS,
      }),
    ],
  })
  return {
    tracer: spanTracer(provider.getTracer('mlango')),
    async close() {
      const sent = provider.shutdown().catch(() => {})
      await Promise.race([sent, wait(LAST_SEND_MS, undefined, { ref: false })])
    },
  }
}

/** Not by the trace's id, as is usual: callers choose that too. */
function ours(share: number): Sampler {
  const { RECORD_AND_SAMPLED, NOT_RECORD } = SamplingDecision
  return {
    shouldSample: () => ({ decision: Math.random() < share ? RECORD_AND_SAMPLED : NOT_RECORD }),
    toString: () => `ours(${share})`,
  }
}

/** Logs once that traces cannot be sent, and once that they can again. */
function logged(exporter: SpanExporter, log: Log): SpanExporter {
  let failing = false
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.error !== undefined
        if (failed && !failing) log.warn('Traces cannot be sent.', { error: result.error })
        if (!failed && failing) log.info('Traces are sent again.')
        failing = failed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  }
}
