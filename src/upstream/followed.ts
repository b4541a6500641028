import { fieldsOf, textOf } from '../lib/json.ts'
import type { AttemptEnd, AttemptTrace, CallSignal } from '../lib/telemetry/trace.ts'
import type { Meter } from '../lib/telemetry/meter.ts'
import type { ChatRequest, ModelTarget } from './contract/contract.ts'
import type { UsageReading } from './contract/usage.ts'
import type { UpstreamConfig } from './upstreams-file.ts'

/** An attempt that is followed to its end, for the trace of its call and for the meter. */
export type Followed = {
  /** The header by which an upstream knows the trace; undefined where nothing is traced. */
  readonly traceparent: string | undefined
  /** Of a stream. */
  firstChunk(): void
  /** What the upstream says of itself: for a trace, and absent without one. */
  saw?: ((json: () => unknown) => void) | undefined
  /** Once. */
  end(outcome: string, told?: Told): void
}

/** Members of an answer, or of a stream at its end. */
export type Told = {
  usage?: UsageReading | undefined
  generationId?: string | undefined
  finishReason?: string | null | undefined
}

type Work = { name: string; request: unknown; signal: CallSignal | undefined }

/** Keeps nothing of the request: a stream may run for long. */
export function followAttempt(
  meter: Pick<Meter, 'ended'> | undefined,
  work: Work,
  target: ModelTarget,
  connection: { config: UpstreamConfig; origin: string },
): Followed {
  const beganMs = performance.now()
  const { type: provider } = connection.config
  const { upstream, model } = target
  const { name: operation } = work
  const trace = traceOf(work, target, connection)
  let firstChunkMs: number | undefined
  let answering: string | undefined
  return {
    traceparent: trace?.traceparent,
    firstChunk() {
      firstChunkMs = performance.now() - beganMs
      trace?.firstChunk(firstChunkMs)
    },
    saw: trace && ((json) => void (answering = modelIn(json))),
    end(outcome, told = {}) {
      const durationMs = performance.now() - beganMs
      const counts = countsOf(told.usage)
      const attempt = { upstream, provider, model, operation, outcome, durationMs }
      meter?.ended({ ...attempt, firstChunkMs, input: counts.input, output: counts.output })
      trace?.end(outcome, { ...counts, ...namesOf(told), model: answering })
    },
  }
}

function traceOf(
  { name, request, signal }: Work,
  { upstream, model }: ModelTarget,
  { config, origin }: { config: UpstreamConfig; origin: string },
): AttemptTrace | undefined {
  const { trace } = signal ?? {}
  if (trace === undefined) return undefined
  const about = { upstream, provider: config.type, model, work: name }
  return trace.attempt({ ...about, origin, ...askedOf(request) })
}

/** The caller's numbers, never a text. */
function askedOf(request: unknown): { stream?: boolean; maxTokens?: number; temperature?: number } {
  const { body, stream } = fieldsOf(request) as Partial<ChatRequest>
  if (body === undefined) return {}
  const { max_tokens: most, max_completion_tokens: newer, temperature } = body
  return {
    ...(typeof stream === 'boolean' && { stream }),
    ...numberAs('maxTokens', newer ?? most),
    ...numberAs('temperature', temperature),
  }
}

function numberAs(name: string, value: unknown): Record<string, number> {
  return typeof value === 'number' ? { [name]: value } : {}
}

function namesOf({ generationId, finishReason }: Told): Pick<AttemptEnd, 'id' | 'finishReason'> {
  return { id: generationId, finishReason: finishReason ?? undefined }
}

function countsOf(reading: UsageReading | undefined) {
  const used = reading?.kind === 'reported' ? reading.usage : {}
  return {
    input: used.promptTokens,
    output: used.completionTokens,
    cacheRead: used.cachedTokens,
    cacheCreation: used.cacheWriteTokens,
    reasoning: used.reasoningTokens,
  }
}

const LONGEST_NAME = 256

/** The model that an answer, or the first event of a stream, says it is from. */
function modelIn(json: () => unknown): string | undefined {
  const { model, message, response, modelVersion } = fieldsOf(readable(json))
  const found = [model, modelVersion, fieldsOf(message).model, fieldsOf(response).model]
  return found
    .map(textOf)
    .find((name) => name !== undefined)
    ?.slice(0, LONGEST_NAME)
}

/** Whoever reads the answer itself says what is wrong with it. */
function readable(json: () => unknown): unknown {
  try {
    return json()
  } catch {
    return undefined
  }
}
