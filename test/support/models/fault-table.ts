/** What a caller is told of each fault of an upstream before its answer begins, in any dialect. */
export const FAULTS = new Map([
  ['drop', 502],
  ['hang', 502],
  ['silent', 502],
  ['reset', 502],
  ['html', 502],
  ['empty', 502],
  ['bad-json', 502],
  ['other-shape', 502],
  ['bad-utf8', 502],
  ['no-choices', 502],
  ['short-length', 502],
  ['gzip-truncated', 502],
  ['gzip-bomb', 502],
  ['429-7', 429],
  ['429-huge', 429],
  ['status-400', 502],
  ['status-401', 502],
  ['status-402', 502],
  ['status-403', 502],
  ['status-422', 502],
  ['status-500', 502],
  ['status-503', 503],
  ['status-529', 503],
  ['context-length', 400],
  ['content-policy', 400],
  ['200-error', 502],
  ['finish-error', 502],
  ['huge-body', 502],
  ['huge-header', 502],
  ['redirect', 502],
])

/** The types of those errors, by status, as OpenAI's clients know them. */
export const TYPES = new Map([
  [400, 'invalid_request_error'],
  [429, 'rate_limit_exceeded'],
  [502, 'server_error'],
  [503, 'server_error'],
])

/** Faults that break a stream which has begun, or before its first byte. */
export const BROKEN_STREAMS = [
  'reset',
  'cut',
  'no-done',
  'short-length',
  'stall',
  'stream-error',
  'finish-error',
  'long-line',
]

/** The others come before the first byte of a stream, as they do before a whole answer. */
export const BEFORE_THE_STREAM = [...FAULTS].filter(([fault]) => !BROKEN_STREAMS.includes(fault))
