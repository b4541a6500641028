/**
 * What the rooms count, where metrics are on. Nothing here is a caller's text, and nothing names an
 * account or a key.
 */
export type Meter = {
  /** An answer, or the first byte of a stream. */
  answered(route: string, status: number, durationMs: number): void
  /**
   * What became of an attempt at an upstream: of a stream, with its first event. `outcome` is `ok` or
   * a word of ours for what went wrong.
   */
  attempted(attempt: UpstreamTry): void
  /** The same attempt at its end, which for a stream comes later. */
  ended(attempt: EndedTry): void
  /** A field of a caller that an upstream was not given: one that is known, or `other`. */
  leftOut(parameter: string): void
  /** A record of paid work that has been committed. */
  recorded(record: RecordedWork): void
  committed(batch: { size: number; durationMs: number; ok: boolean }): void
  /** What became of an idempotency key. */
  replayed(outcome: string): void
}

type UpstreamTry = { upstream: string; model: string; outcome: string }

type EndedTry = UpstreamTry & {
  provider: string
  operation: string
  durationMs: number
  /** Of a stream. */
  firstChunkMs?: number | undefined
  /** Tokens, where the upstream counts them. */
  input?: number | undefined
  output?: number | undefined
}

type RecordedWork = {
  kind: string
  model: string
  status: string
  promptTokens?: number | undefined
  completionTokens?: number | undefined
  costMicro: bigint
  uncollectedMicro?: bigint | undefined
}
