import pino from 'pino'

/** The only fields a log line may carry. A prompt, key, code or token has no field to sit in. */
export type LogFields = {
  request_id?: string
  method?: string
  route?: string
  status?: number
  duration_ms?: number
  account_id?: string
  key_id?: string
  workspace_id?: string
  model?: string
  upstream?: string
  job?: string
  job_id?: string
  hold_id?: string
  payment_id?: string
  provider?: string
  reason?: string
  count?: number
  attempt?: number
  amount_micro?: bigint
  engine?: string
  port?: number
  error?: unknown
}

export type Log = {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  flush(): Promise<void>
}

const ALLOWED: readonly (keyof LogFields)[] = [
  'request_id',
  'method',
  'route',
  'status',
  'duration_ms',
  'account_id',
  'key_id',
  'workspace_id',
  'model',
  'upstream',
  'job',
  'job_id',
  'hold_id',
  'payment_id',
  'provider',
  'reason',
  'count',
  'attempt',
  'amount_micro',
  'engine',
  'port',
]
const LONGEST_VALUE = 200

export function createLog(options: { level: string; pretty: boolean }): Log {
  const destination = options.pretty
    ? pino.transport({
        target: 'pino-pretty',
        options: { colorize: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss' },
      })
    : pino.destination({ dest: 1, sync: false })
  const logger = pino({ level: options.level, base: null }, destination)
  const write =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string, fields: LogFields = {}) => {
      if (logger.isLevelEnabled(level)) logger[level](allowed(fields), message)
    }
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    flush: () => new Promise((done) => logger.flush(() => done())),
  }
}

export const silentLog: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  flush: async () => {},
}

function allowed(fields: LogFields): Record<string, unknown> {
  const line: Record<string, unknown> = {}
  for (const name of ALLOWED) {
    const value = fields[name]
    if (value === undefined) continue
    line[name] =
      typeof value === 'bigint'
        ? value.toString()
        : typeof value === 'string'
          ? value.slice(0, LONGEST_VALUE)
          : value
  }
  if (fields.error !== undefined) line.error = describe(fields.error)
  return line
}

/** Where it broke, without what was in it: messages of foreign errors may quote their input. */
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error }
  const code = (error as { code?: unknown }).code
  return {
    name: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    ...(error.name === 'Failure' || error.name === 'AssertionError'
      ? { message: error.message.slice(0, LONGEST_VALUE) }
      : {}),
    frames: (error.stack ?? '')
      .split('\n')
      .filter((line) => line.startsWith('    at '))
      .slice(0, 6)
      .map((line) => line.trim().replace(/\(?file:\/\/.*\/(src|simulator|node_modules)\//, '$1/')),
    ...(error.cause === undefined ? {} : { cause: describe(error.cause) }),
  }
}
