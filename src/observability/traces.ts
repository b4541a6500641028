import type { Log } from '../lib/log.ts'
import type { Traces } from '../lib/telemetry/trace.ts'
import { passOn } from './pass-on.ts'

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
