import { RefusedAnswer, StatusError, UpstreamError, type ErrorCategory } from './upstream-error.ts'
import type { UsageReading } from './usage.ts'

/**
 * What is thrown for an error of reading what came with a 2xx. An answer was made and is billed,
 * unless the upstream says that it failed itself, or that it used nothing.
 */
export function refusalOf(
  error: unknown,
  provider: { classify(error: StatusError): ErrorCategory },
  usage: UsageReading,
): unknown {
  if (!(error instanceof UpstreamError)) return error
  const used = wasUsed(usage)
  const made =
    error instanceof StatusError
      ? used === true && provider.classify(error).kind === 'rejected'
      : (error.kind === 'garbage' || error.kind === 'too_large') &&
        (used ?? !NO_ANSWERS.has(error.at))
  return made ? new RefusedAnswer(error, usage) : error
}

/** By a word of the error: what no model has made. */
const NO_ANSWERS = new Set(['page', 'content_encoding', 'http', 'headers', 'empty_stream'])

/** Undefined where nothing was reported, or nothing that makes sense. */
function wasUsed(reading: UsageReading): boolean | undefined {
  if (reading.kind !== 'reported') return undefined
  return Object.values(reading.usage).some((count) => Number(count ?? 0) > 0)
}
