import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type Tracer as SpanMaker,
} from '@opentelemetry/api'
import {
  readTraceparent,
  type AttemptTrace,
  type RequestTrace,
  type StepTrace,
  type Tracer,
} from '../lib/telemetry/trace.ts'

/** Spans of OpenTelemetry, with parents given by hand: no context is looked up on the way. */
export function spanTracer(maker: SpanMaker): Tracer {
  return {
    begins: true,
    request(header, { route, requestId }) {
      const [method, path] = route.split(' ')
      const attributes = {
        'http.request.method': method!,
        'http.route': path!,
        'mlango.request_id': requestId,
      }
      const span = maker.startSpan(route, { kind: SpanKind.SERVER, attributes }, parentOf(header))
      return requestTrace(maker, span)
    },
  }
}

function parentOf(header: string | string[] | undefined): Context {
  const parts = readTraceparent(header)?.split('-')
  if (parts === undefined) return ROOT_CONTEXT
  const [, traceId, spanId, flags] = parts
  const traceFlags = Number.parseInt(flags!, 16) & 1
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: traceId!,
    spanId: spanId!,
    traceFlags,
    isRemote: true,
  })
}

function requestTrace(maker: SpanMaker, span: Span): RequestTrace {
  const within = trace.setSpan(ROOT_CONTEXT, span)
  return {
    step: (name) => stepTrace(maker.startSpan(name, {}, within)),
    attempt: (about) => attemptTrace(maker.startSpan(...attemptSpan(about), within)),
    answered(status) {
      span.setAttribute('http.response.status_code', status)
      if (status >= 500) fail(span, String(status))
    },
    end: () => span.end(),
  }
}

function stepTrace(span: Span): StepTrace {
  return {
    end(problem) {
      if (problem !== undefined) fail(span, problem)
      span.end()
    },
  }
}

/** As OpenTelemetry's conventions for generative AI name things. */
function attemptSpan({
  upstream,
  provider,
  model,
  work,
}: Parameters<RequestTrace['attempt']>[0]): [
  string,
  { kind: SpanKind; attributes: Record<string, string> },
] {
  const operation = OPERATIONS[work] ?? work
  const attributes = {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': PROVIDERS[provider] ?? provider,
    'gen_ai.request.model': model,
    'mlango.upstream': upstream,
  }
  return [`${operation} ${model}`, { kind: SpanKind.CLIENT, attributes }]
}

const OPERATIONS: Record<string, string> = { chatStream: 'chat', image: 'generate_content' }
const PROVIDERS: Record<string, string> = { gemini: 'gcp.gemini' }

function attemptTrace(span: Span): AttemptTrace {
  return {
    traceparent: traceparentOf(span),
    firstToken: () => void span.addEvent('first_token'),
    end(outcome, tokens) {
      if (tokens?.input !== undefined) span.setAttribute('gen_ai.usage.input_tokens', tokens.input)
      if (tokens?.output !== undefined) {
        span.setAttribute('gen_ai.usage.output_tokens', tokens.output)
      }
      if (outcome !== 'ok') fail(span, outcome)
      span.end()
    },
  }
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-0${traceFlags & 1}`
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR })
}
