import type { Claim, ClaimOutcome, Finished, StorableAnswer } from '../lib/answer.ts'
import type { Log } from '../lib/log.ts'
import type { Meter } from '../lib/telemetry/meter.ts'
import type { OperatorNeed, OperatorPrincipal, Principal } from '../accounts/principal.ts'
import type { Tracer } from '../lib/telemetry/trace.ts'
import type { Cors } from './headers.ts'
import type { Capacity, RunningCalls } from './limits/capacity.ts'
import type { Limiter } from './limits/process-counter.ts'
import type { SlowBodies } from './limits/slow-bodies.ts'
import type { Route } from './route.ts'

/** What every request of one server shares. `app.ts` brings it together. */
export type ServerContext = {
  /** Every route, the server's own included. */
  routes: readonly Route[]
  authenticator: Authenticator
  operators: OperatorGate
  limiter: Limiter
  storedAnswers: AnswerStore
  settings: ServerSettings
  log: Log
  running: RunningCalls
  capacity: Capacity
  slowBodies: SlowBodies
  /** Where metrics are kept. */
  meter: Pick<Meter, 'answered' | 'replayed'> | undefined
  /** Traces all calls, or only those whose caller sends a `traceparent`. */
  tracer: Tracer | undefined
  /** Good answers are logged too, for whoever sets LOG_LEVEL to debug. */
  logsSuccesses: boolean
  /** On every answer; made once. */
  standardHeaders: Readonly<Record<string, string>>
  /** The operators' own host, if they have one: on others their routes are 404. */
  operatorHost: string | undefined
  cors: Cors | undefined
}

/**
 * Checks an `Authorization` header, or a key in `X-Api-Key`. Throws Failure `unauthorized`. Answers
 * at once where it can.
 */
export type Authenticator = {
  identify(authorization: string | undefined, apiKey?: string): Principal | Promise<Principal>
}

/** Undefined for whoever is no operator. Throws Failure when more is needed than was shown. */
export type OperatorGate = {
  admit(
    principal: Principal,
    asked: { address: string; requestId: string; route: string; foreignHost: boolean },
    need: OperatorNeed,
  ): Promise<OperatorPrincipal | undefined>
}

/** Remembers answers by idempotency key, scoped to the account. */
export type AnswerStore = {
  claim(request: { accountId: string; key: string; route: string }): Promise<ClaimOutcome>
  /** What a finished key holds; undefined for one that is new or at work. */
  find(request: { accountId: string; key: string; route: string }): Promise<Finished | undefined>
  store(claim: Claim, answer: StorableAnswer): Promise<void>
  free(claim: Claim): Promise<void>
}

/** The settings the server reads. A `Config` fits. */
export type ServerSettings = {
  PUBLIC_URL?: string | undefined
  FRONTEND_URL?: string | undefined
  CORS_ORIGINS?: readonly string[]
  OPERATOR_URL?: string | undefined
  SECURITY_CONTACT?: string | undefined
  TRUST_PROXY: boolean
  DRAIN_SECONDS: number
  LOG_LEVEL?: string
  RATE_LIMIT_RPM: number
  RATE_LIMIT_JWT_RPM: number
  RATE_LIMIT_ACCOUNT_RPM: number
  AUTH_RATE_LIMIT_RPM: number
  MAX_RUNNING_CALLS: number
  MAX_BODIES_MB: number
  ACCOUNT_SHARE_PERCENT: number
  ADDRESS_SHARE_PERCENT: number
  SLOWEST_BODY_BYTES_PER_S: number
}
