import pino from 'pino'

/** The only fields a log line may carry, and `error`. There is none for a prompt, key, code or token. */
const FIELDS = {
  request_id: String,
  method: String,
  route: String,
  status: Number,
  duration_ms: Number,
  account_id: String,
  key_id: String,
  workspace_id: String,
  model: String,
  upstream: String,
  job: String,
  job_id: String,
  hold_id: String,
  payment_id: String,
  provider: String,
  reason: String,
  count: Number,
  attempt: Number,
  amount_micro: BigInt,
  port: Number,
}

export type LogFields = {
  [Name in keyof typeof FIELDS]?: ReturnType<(typeof FIELDS)[Name]> | undefined
} & { error?: unknown }

export type Log = {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  flush(): Promise<void>
}

const NAMES = Object.keys(FIELDS) as (keyof typeof FIELDS)[]
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
  for (const name of NAMES) {
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

/** A message of a foreign error may have lines that look like frames. */
const LONGEST_FRAME = 300
const OWN_ERRORS = new Set(['Failure', 'AssertionError'])

/** The stack without the message: messages of foreign errors may quote their input. */
function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error }
  const code = (error as { code?: unknown }).code
  return {
    name: error.name,
    code: typeof code === 'string' ? code : undefined,
    message: OWN_ERRORS.has(error.name) ? error.message.slice(0, LONGEST_VALUE) : undefined,
    frames: (error.stack ?? '')
      .split('\n')
      .filter((line) => line.startsWith('    at '))
      .slice(0, 6)
      .map((line) =>
        line
          .slice(0, LONGEST_FRAME)
          .trim()
          .replace(/\(?file:\/\/.*\/(src|simulator|node_modules)\//, '$1/'),
      ),
    cause: error.cause === undefined ? undefined : describe(error.cause),
  }
}
