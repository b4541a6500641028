import type { Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Meter } from '../lib/telemetry/meter.ts'
import type { Tracer } from '../lib/telemetry/trace.ts'
import type { Providers } from './providers.ts'

/** What the app is built on. */
export type AppInputs = {
  config: Config
  db: Db
  masterKey: string
  providers: Providers
  log: Log
  clock: Clock
  /** Told of what is done, where metrics are kept. */
  meter?: Meter | undefined
  /** Follows calls. */
  tracer?: Tracer | undefined
}
