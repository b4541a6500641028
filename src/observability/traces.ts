import type { Log } from '../lib/log.ts'
import {
  readTraceparent,
  type Traces,
  type RequestTrace,
  type Tracer,
} from '../lib/telemetry/trace.ts'

type TraceSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined
  OTEL_SERVICE_NAME: string
  OTEL_TRACES_SAMPLER_ARG: number
}

/** The packages of OpenTelemetry are loaded only when there is somebody to send traces to. */
export async function openTraces(settings: TraceSettings, log: Log): Promise<Traces> {
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) {
    return { tracer: passOn, close: async () => {} }
  }
  const { exportTraces } = await import('./export.ts')
  return exportTraces(
    {
      endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
      service: settings.OTEL_SERVICE_NAME,
      share: settings.OTEL_TRACES_SAMPLER_ARG,
    },
    log,
  )
}

/** Without an exporter a caller's `traceparent` still reaches the upstream, as it is. */
const passOn: Tracer = {
  begins: false,
  request(header): RequestTrace | undefined {
    const traceparent = readTraceparent(header)
    if (traceparent === undefined) return undefined
    return {
      step: () => ({ end() {} }),
      attempt: () => ({ traceparent, firstChunk() {}, end() {} }),
      answered() {},
      end() {},
    }
  },
}
