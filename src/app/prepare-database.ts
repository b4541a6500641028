import { ConfigError, type Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import { ForeignDatabaseError, migrate } from '../db/migrate.ts'
import { damaged } from '../db/local/explain.ts'
import { diskFull, DatabaseError } from '../db/local/database-error.ts'
import { openDatabase } from '../db/database.ts'
import { grantToService, roleOf } from '../db/service-role.ts'
import { serverVersion } from '../db/server-version.ts'
import { lostSettings } from '../db/session.ts'
import { Failure } from '../lib/failure.ts'
import type { Log } from '../lib/log.ts'

const OLDEST_SERVER = 15
const SETTINGS_LOST =
  'Connections to the database have other settings than the service asks for. Behind a pooler, set them for the role: see docs/scale.md.'

type DatabaseSettings = Pick<
  Config,
  'DATABASE_URL' | 'DATABASE_OWNER_URL' | 'DATABASE_LISTEN_URL' | 'DATABASE_POOL' | 'DATA_DIR'
>

/** The server that the service brings along, where there is no DATABASE_URL. */
export type LocalDatabase = { url: string; serviceUrl: string }

/** Opens the database and brings it up to date, or says what the operator must mend. */
export async function prepareDatabase(
  config: DatabaseSettings,
  log: Log,
  local: LocalDatabase | undefined,
): Promise<Db> {
  const { DATABASE_URL, DATABASE_OWNER_URL } = config
  const url = DATABASE_URL ?? local?.serviceUrl
  if (url === undefined) throw new Error('The database server was not started.')
  const ownerUrl = DATABASE_URL === undefined ? local?.url : DATABASE_OWNER_URL
  const { DATABASE_LISTEN_URL: listenUrl, DATABASE_POOL: poolSize } = config
  const db = openDatabase({ url, listenUrl, poolSize, log })
  try {
    if (DATABASE_URL !== undefined) await checkVersion(db, DATABASE_URL)
    if (ownerUrl === undefined) await migrate(db, log)
    else await prepareAsOwner(config, log, { ownerUrl, role: await roleOf(db) })
    const lost = await lostSettings(db)
    if (lost.length > 0) log.warn(SETTINGS_LOST, { reason: lost.join(', ') })
    return db
  } catch (error) {
    await db.close()
    throw explainDatabase(error, config)
  }
}

/** Who owns the tables makes them, and gives the role of the service what it needs of them. */
async function prepareAsOwner(
  config: DatabaseSettings,
  log: Log,
  { ownerUrl, role }: { ownerUrl: string; role: string },
): Promise<void> {
  const db = openDatabase({ url: ownerUrl, poolSize: 1, log })
  try {
    await migrate(db, log)
    await grantToService(db, role)
  } catch (error) {
    const own = config.DATABASE_URL === undefined
    throw explainDatabase(error, own ? config : { ...config, DATABASE_URL: ownerUrl })
  } finally {
    await db.close()
  }
}

/** The error as a sentence, where it is one that an operator can mend. */
export function explainDatabase(
  error: unknown,
  { DATABASE_URL, DATA_DIR }: Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>,
): unknown {
  return DATABASE_URL === undefined
    ? explainedLocally(error, DATA_DIR)
    : explained(error, DATABASE_URL)
}

async function checkVersion(db: Db, url: string): Promise<void> {
  const version = await serverVersion(db)
  if (version.major >= OLDEST_SERVER) return
  throw new ConfigError([
    `DATABASE_URL: ${addressOf(url).text} runs PostgreSQL ${version.text}. ` +
      `Mlango needs version ${OLDEST_SERVER} or later.`,
  ])
}

/** The server of our own runs: only its disk or its data can be the matter. */
function explainedLocally(error: unknown, folder: string): unknown {
  if (error instanceof ForeignDatabaseError) {
    return new DatabaseError(
      `DATA_DIR ${folder} holds data of a version of Mlango before its first release, which this one cannot read: move the folder away or choose another DATA_DIR to start anew, or run the version that made them.`,
      { cause: error },
    )
  }
  const cause = error instanceof Failure ? error.cause : error
  const code = (cause as { code?: string } | undefined)?.code ?? ''
  if (code === '53100') return new DatabaseError(diskFull(folder), { cause })
  if (/^XX00[12]$/.test(code)) return new DatabaseError(damaged(folder), { cause })
  return error
}

/** A sentence for what an operator can mend; anything else is a bug and stays as it is. */
function explained(error: unknown, url: string): unknown {
  const cause = error instanceof Failure ? error.cause : error
  const code = (cause as { code?: string } | undefined)?.code ?? ''
  const { text, host, user, name } = addressOf(url)
  if (error instanceof ForeignDatabaseError) {
    return new ConfigError([
      `DATABASE_URL: the database at ${text} was made by a version of Mlango before its first release, which this one cannot read: name an empty database to start anew, or run the version that made it.`,
    ])
  }
  const who = user === '' ? 'the system user' : `user "${user}"`
  const refusals: Record<string, string> = {
    '28P01': `${host} refused the password of ${who}. Correct the password.`,
    '28000': `${host} does not let ${who} connect. Create the user, or allow it in pg_hba.conf.`,
    '3D000': `${host} has no database "${name}". Create it, or correct the name.`,
    '08P01': `${host} refused the settings of our connections. A pooler must ignore them: see docs/scale.md.`,
    '42P05': `a pooler before ${host} does not follow named statements: see docs/scale.md.`,
    '42501': `${who} may not create tables in the database "${name}". Make that user its owner, or name the owner in DATABASE_OWNER_URL.`,
  }
  const refusal = refusals[code]
  if (refusal !== undefined) return new ConfigError([`DATABASE_URL (${text}): ${refusal}`])
  // The driver's own words, without a code.
  if (error instanceof Error && /client password must be/.test(error.message)) {
    return new ConfigError([`DATABASE_URL (${text}): ${host} asks for a password. Add it.`])
  }
  if (!(error instanceof Failure)) return error
  const reason = REASONS[code] ?? (code === '' ? 'there is no answer' : code)
  return new ConfigError([
    `DATABASE_URL: cannot reach the database at ${text}: ${reason}. ` +
      'Check that the server is running and that the address is right.',
  ])
}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  ENOENT: 'there is no such socket',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'there is no answer',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  '53300': 'the server has too many connections',
  '57P03': 'the server is still starting',
}

/** The address without its password. Without a host it names a socket. */
function addressOf(url: string) {
  const parsed = new URL(url.replace('@/', '@socket/'))
  const socket = parsed.searchParams.get('host')
  const host = socket ?? (parsed.hostname === 'socket' ? 'the local socket' : parsed.host)
  const user = decodeURIComponent(parsed.username)
  const name = decodeURIComponent(parsed.pathname.slice(1)) || user
  const port = socket !== null || parsed.port !== '' ? '' : ':5432'
  const text = `postgresql://${user === '' ? '' : `${user}@`}${host}${port}/${name}`
  return { text, host: `${host}${port}`, user, name }
}
