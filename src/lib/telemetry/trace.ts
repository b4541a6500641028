/** Traces calls. Spans hold no caller's text, and nothing that names an account. */
export type Tracer = {
  /** Traces every call, not only those whose caller sent a `traceparent`. */
  readonly begins: boolean
  /** `route` is a method and a path of ours. Undefined where there is nothing to follow. */
  request(
    traceparent: string | string[] | undefined,
    about: { route: string; requestId: string },
  ): RequestTrace | undefined
}

export type Traces = {
  tracer: Tracer
  /** Sends the remaining spans, within a short time limit. */
  close(): Promise<void>
}

/** One request, from its arrival to the last byte of its answer. */
export type RequestTrace = {
  step(name: 'hold' | 'settle' | 'release'): StepTrace
  attempt(about: AttemptAbout): AttemptTrace
  answered(status: number): void
  end(): void
}

/** `problem` is from a fixed list, never a text of a caller. */
export type StepTrace = { end(problem?: string): void }

export type AttemptAbout = {
  upstream: string
  provider: string
  model: string
  work: string
  /** Where the upstream is. */
  origin: string
  /** What was asked for, where it is known. */
  stream?: boolean | undefined
  maxTokens?: number | undefined
  temperature?: number | undefined
}

export type AttemptTrace = {
  /** The header by which an upstream knows the trace. */
  readonly traceparent: string
  firstChunk(afterMs: number): void
  /** `outcome` is `ok` or a word of ours for what went wrong. */
  end(outcome: string, told?: AttemptEnd): void
}

/** What an upstream said of its answer, and the tokens that it counted. */
export type AttemptEnd = {
  id?: string | undefined
  model?: string | undefined
  finishReason?: string | undefined
  input?: number | undefined
  output?: number | undefined
  cacheRead?: number | undefined
  cacheCreation?: number | undefined
  reasoning?: number | undefined
}

/**
 * The trace travels with the call's abort signal, which reaches every step. Undefined where the call
 * is not traced.
 */
export type CallSignal = AbortSignal & { readonly trace?: RequestTrace | undefined }

export function follow(signal: AbortSignal, trace: RequestTrace): void {
  Object.assign(signal, { trace })
}

const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** The header of W3C's Trace Context, if it is one. */
export function readTraceparent(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : undefined
}
