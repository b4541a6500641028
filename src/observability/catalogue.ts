/** A metric as it is shown and documented. Labels have few values, all of them ours. */
export type MetricEntry = {
  kind: 'counter' | 'gauge' | 'histogram'
  help: string
  labels?: readonly string[]
  buckets?: readonly number[]
  /** How the gauges of several workers become one; counts are added up. */
  across?: 'sum' | 'min' | 'max'
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]
/** As OpenTelemetry's conventions for generative AI advise. */
const TOKENS = [1, 4, 16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576]
const BATCHES = [1, 2, 5, 10, 20, 50, 100, 200, 500]

const OPERATION = ['gen_ai_operation_name', 'gen_ai_provider_name', 'gen_ai_request_model'] as const

/** Every metric of ours. Those of the runtime begin with `mlango_process_` and `mlango_nodejs_`. */
export const METRICS = {
  mlango_http_answer_seconds: {
    kind: 'histogram',
    help: 'Time from request to answer, or to the first byte of a stream',
    labels: ['route', 'status'],
    buckets: SECONDS,
  },
  mlango_running_calls: { kind: 'gauge', help: 'Calls in flight', across: 'sum' },
  mlango_replays_total: {
    kind: 'counter',
    help: 'Requests with an Idempotency-Key, by what became of it',
    labels: ['outcome'],
  },
  mlango_models: { kind: 'gauge', help: 'Models in the catalog' },
  mlango_upstreams: { kind: 'gauge', help: 'Upstreams' },
  mlango_upstreams_healthy: { kind: 'gauge', help: 'Upstreams that work', across: 'min' },
  mlango_upstream_circuits_open: {
    kind: 'gauge',
    help: 'Models whose circuit breaker is open at an upstream',
    labels: ['upstream'],
  },
  mlango_upstream_attempts_total: {
    kind: 'counter',
    help: 'Attempts at an upstream, by what became of them',
    labels: ['upstream', 'model', 'outcome'],
  },
  mlango_ignored_parameters_total: {
    kind: 'counter',
    help: 'Fields of requests that did not pass to an upstream: known ones by name, else `other`',
    labels: ['parameter'],
  },
  gen_ai_client_operation_duration_seconds: {
    kind: 'histogram',
    help: 'Time of an attempt at an upstream to its end, of a stream too',
    labels: [...OPERATION, 'error_type'],
    buckets: SECONDS,
  },
  gen_ai_client_operation_time_to_first_chunk_seconds: {
    kind: 'histogram',
    help: 'Time to the first event of a stream',
    labels: OPERATION,
    buckets: SECONDS,
  },
  gen_ai_client_token_usage: {
    kind: 'histogram',
    help: 'Tokens of an attempt, as the upstream counted them',
    labels: [...OPERATION, 'gen_ai_token_type'],
    buckets: TOKENS,
  },
  mlango_paid_calls_total: {
    kind: 'counter',
    help: 'Paid calls, or stages of them, by how they ended; videos are in mlango_video_jobs',
    labels: ['kind', 'status'],
  },
  mlango_charged_credits_total: {
    kind: 'counter',
    help: 'Credits charged for calls, without videos',
    labels: ['kind', 'model'],
  },
  mlango_uncollected_credits_total: {
    kind: 'counter',
    help: 'Credits of work that an account could not pay',
  },
  mlango_unpaid_credits: {
    kind: 'gauge',
    help: 'Credits worth of calls that were left and not paid within a day',
  },
  mlango_holds: { kind: 'gauge', help: 'Open holds' },
  mlango_holds_oldest_seconds: { kind: 'gauge', help: 'Age of the oldest open hold of a call' },
  mlango_commit_batch_size: {
    kind: 'histogram',
    help: 'Moves of money that one commit carried',
    buckets: BATCHES,
  },
  mlango_commit_seconds: {
    kind: 'histogram',
    help: 'Time of a commit that moves money',
    buckets: SECONDS,
  },
  mlango_commit_failures_total: { kind: 'counter', help: 'Commits that moved no money' },
  mlango_database_connections: {
    kind: 'gauge',
    help: 'Connections of the service: busy, idle, and queries that wait for one',
    labels: ['state'],
    across: 'sum',
  },
  mlango_payments: {
    kind: 'gauge',
    help: 'Payments that are pending, or need a person',
    labels: ['state'],
  },
  mlango_payments_oldest_seconds: { kind: 'gauge', help: 'Age of the oldest', labels: ['state'] },
  mlango_payments_to_review: { kind: 'gauge', help: 'Payments that need a person' },
  mlango_video_jobs: { kind: 'gauge', help: 'Video jobs that have not ended', labels: ['state'] },
  mlango_video_jobs_oldest_seconds: { kind: 'gauge', help: 'Age of the oldest', labels: ['state'] },
  mlango_outbox_messages: {
    kind: 'gauge',
    help: 'Messages that wait, or were given up',
    labels: ['state'],
  },
  mlango_outbox_oldest_seconds: { kind: 'gauge', help: 'Age of the oldest', labels: ['state'] },
  mlango_books_findings: {
    kind: 'gauge',
    help: 'What the last audit of a sample of accounts found; anything but 0 is an alarm',
  },
  mlango_disk_free_bytes: { kind: 'gauge', help: 'Free where DATA_DIR is', across: 'min' },
  mlango_disk_size_bytes: { kind: 'gauge', help: 'Size of that file system' },
} as const satisfies Record<string, MetricEntry>

export type MetricName = keyof typeof METRICS
