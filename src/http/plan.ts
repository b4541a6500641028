import type { ReplayBook, Doorkeeper, Limiter } from './ports.ts'
import type { BodyKind, Route } from './route.ts'
import type { Log } from '../lib/log.ts'
import type { Capacity } from './limits/capacity.ts'
import type { RunningCalls } from './running.ts'

/** The settings the hallway reads. A `Config` fits. */
export type HallwaySettings = {
  PUBLIC_URL?: string | undefined
  FRONTEND_URL?: string | undefined
  TRUST_PROXY: boolean
  DRAIN_SECONDS: number
  LOG_LEVEL?: string
  RATE_LIMIT_RPM: number
  RATE_LIMIT_JWT_RPM: number
  AUTH_RATE_LIMIT_RPM: number
  MAX_RUNNING_CALLS: number
  MAX_BODIES_MB: number
}

/** What every request of one server shares. */
export type Hallway = {
  /** Every door, the hallway's own included. */
  routes: readonly Route[]
  doorkeeper: Doorkeeper
  limiter: Limiter
  replay: ReplayBook
  settings: HallwaySettings
  log: Log
  running: RunningCalls
  capacity: Capacity
  /** Told of every answer, where metrics are kept. */
  observe: ((route: string, status: number, durationMs: number) => void) | undefined
  /** Good answers are logged too, for whoever sets LOG_LEVEL to debug. */
  tellsAll: boolean
  /** On every answer; made once. */
  standardHeaders: Readonly<Record<string, string>>
  /** The one origin whose pages may read our answers. */
  corsOrigin: string | undefined
}

/** A route with everything that can be known before the first request. */
export type Plan = {
  route: Route
  /** `POST /v1/videos`: the scope of an idempotency key, and the log's name for the route. */
  name: string
  bodyKind: BodyKind
  limitBytes: number
  multipartLimitBytes: number
  successStatus: number
  /** Strings with NUL pass to an upstream, but not into a table. */
  allowNul: boolean
  tellsLimits: boolean
}

const DEFAULT_LIMIT_BYTES = 5_000_000

export function planOf(route: Route): Plan {
  const limitBytes = route.bodyLimitBytes ?? DEFAULT_LIMIT_BYTES
  const gateway = route.dialect !== 'envelope'
  return {
    route,
    name: `${route.method} ${route.path}`,
    bodyKind: route.bodyKind ?? (route.body === undefined ? 'none' : 'json'),
    limitBytes,
    multipartLimitBytes: route.multipartLimitBytes ?? limitBytes,
    successStatus: route.successStatus ?? 200,
    allowNul: gateway,
    tellsLimits: gateway && route.limit === 'principal',
  }
}
