/**
 * What the rooms count, where metrics are on. Nothing here is a caller's text, and nothing names an
 * account or a key.
 */
export type Meter = {
  /** An answer, or the first byte of a stream. */
  answered(route: string, status: number, durationMs: number): void
  /** One attempt at an upstream. `outcome` is `ok` or a word of ours for what went wrong. */
  attempted(attempt: UpstreamTry): void
  /** A field of a caller that an upstream was not given: one that is known, or `other`. */
  leftOut(parameter: string): void
  /** A record of paid work that has been committed. */
  recorded(record: RecordedWork): void
  committed(batch: { size: number; durationMs: number; ok: boolean }): void
  /** What became of an idempotency key. */
  replayed(outcome: string): void
}

type UpstreamTry = {
  upstream: string
  model: string
  operation: string
  outcome: string
  /** To the whole answer, or to the first event of a stream. */
  durationMs: number
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
