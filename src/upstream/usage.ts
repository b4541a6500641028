/** What a call used. A member that is undefined was not reported: absent is not zero. */
export type Usage = {
  promptTokens?: number | undefined
  completionTokens?: number | undefined
  totalTokens?: number | undefined
  cachedTokens?: number | undefined
  cacheWriteTokens?: number | undefined
  reasoningTokens?: number | undefined
  /** US dollars charged to our account, an exact plain decimal such as `0.000508`. */
  costUsd?: string | undefined
  images?: number | undefined
  seconds?: number | undefined
  characters?: number | undefined
}

/**
 * `reported` may be all zeros, and then it is zero. `absent` must be estimated. `unusable` was
 * there but cannot be believed: it is estimated too, and worth a line in the log.
 */
export type UsageReading =
  | { kind: 'reported'; usage: Usage }
  | { kind: 'absent' }
  | { kind: 'unusable'; reason: 'negative' | 'not_a_number' | 'absurd' | 'inconsistent' }

export const ABSENT: UsageReading = { kind: 'absent' }
