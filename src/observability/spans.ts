import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Span,
  type Tracer as SpanMaker,
} from '@opentelemetry/api'
import {
  readTraceparent,
  type AttemptAbout,
  type AttemptTrace,
  type RequestTrace,
  type StepTrace,
  type Tracer,
} from '../lib/telemetry/trace.ts'
import { operationOf, providerOf } from './gen-ai.ts'

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
function attemptSpan(about: AttemptAbout): [string, { kind: SpanKind; attributes: Attributes }] {
  const operation = operationOf(about.work)
  const { hostname, port, protocol } = new URL(about.origin)
  const attributes = {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': providerOf(about.provider),
    'gen_ai.request.model': about.model,
    'gen_ai.request.stream': about.stream,
    'gen_ai.request.max_tokens': about.maxTokens,
    'gen_ai.request.temperature': about.temperature,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
    'mlango.upstream': about.upstream,
  }
  return [`${operation} ${about.model}`, { kind: SpanKind.CLIENT, attributes }]
}

function attemptTrace(span: Span): AttemptTrace {
  return {
    traceparent: traceparentOf(span),
    firstChunk: (afterMs) =>
      void span.setAttribute('gen_ai.response.time_to_first_chunk', afterMs / 1_000),
    end(outcome, told = {}) {
      span.setAttributes({
        'gen_ai.response.id': told.id,
        'gen_ai.response.model': told.model,
        'gen_ai.response.finish_reasons': told.finishReason && [told.finishReason],
        'gen_ai.usage.input_tokens': told.input,
        'gen_ai.usage.output_tokens': told.output,
        'gen_ai.usage.cache_read.input_tokens': told.cacheRead,
        'gen_ai.usage.cache_creation.input_tokens': told.cacheCreation,
        'gen_ai.usage.reasoning.output_tokens': told.reasoning,
      })
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
