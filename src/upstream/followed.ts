import { fieldsOf, textOf } from '../lib/json.ts'
import type { AttemptEnd, AttemptTrace, CallSignal } from '../lib/telemetry/trace.ts'
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

/** What is known of an attempt before it is made. */
export type Tried = {
  work: { name: string; request: unknown }
  target: ModelTarget
  connection: { config: UpstreamConfig; origin: string }
}

export function traceAttempt(
  trace: NonNullable<CallSignal['trace']>,
  { work: { name, request }, target: { upstream, model }, connection }: Tried,
): AttemptTrace {
  const { config, origin } = connection
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

export function namesTold({
  generationId,
  finishReason,
}: Told): Pick<AttemptEnd, 'id' | 'finishReason'> {
  return { id: generationId, finishReason: finishReason ?? undefined }
}

const LONGEST_NAME = 256

/** The model that an answer, or the first event of a stream, says it is from. */
export function modelIn(json: () => unknown): string | undefined {
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
