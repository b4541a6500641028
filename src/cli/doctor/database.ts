import { auditLedger } from '../../ledger/audit-store.ts'
import type { Db } from '../../db/db.ts'
import { serverVersion } from '../../db/server-version.ts'
import { readRights, type ServiceRights } from '../../db/service-role.ts'
import { readDatabaseFacts, type DatabaseFacts } from './database-store.ts'
import { bad, good, note, type Diagnosis } from './diagnosis.ts'

const OLDEST = 15
/** Codes, sessions and callbacks of payments have times on them. */
const LARGEST_SKEW_MS = 2_000

export type DatabaseQuestions = {
  db: Db
  timeZone: string
  /** Of DATABASE_POOL and WORKERS, and what a rolling start needs beside them. */
  connections: number
  /** In which the service works; without it, as this connection does. */
  role?: string | undefined
  nowMs?: () => number
}

/** Version, clock, time zones, connections, and whether it can be written. */
export async function examineDatabase(questions: DatabaseQuestions): Promise<Diagnosis[]> {
  const { db, timeZone, connections, nowMs = Date.now } = questions
  const { major, text } = await serverVersion(db)
  if (major < OLDEST) {
    const says = `The server is PostgreSQL ${text}.`
    return [bad('database', says, `Mlango needs version ${OLDEST} or later: upgrade the server.`)]
  }
  const beganMs = nowMs()
  const facts = await readDatabaseFacts(db, timeZone)
  const endedMs = nowMs()
  const megabytes = Number(facts.bytes / 1_000_000n)
  return [
    good(
      'database',
      `PostgreSQL ${text} answers in ${endedMs - beganMs} ms and has ${megabytes} MB.`,
    ),
    clockOf(facts.now.getTime(), beganMs, endedMs),
    ...troublesOf(facts, { timeZone, connections }),
    ...rightsOf(await readRights(db, questions.role)),
  ]
}

/** A role that can do less cannot be misused for more. */
function rightsOf({ superuser, changesLog }: ServiceRights): Diagnosis[] {
  if (!superuser && !changesLog) return []
  const may = superuser
    ? 'is a superuser'
    : 'may change the log of the operators and the entries of the ledger'
  return [note('database', `The role of the service ${may}.`, GIVE_ROLE)]
}

const GIVE_ROLE =
  'Give it a role of its own, and set DATABASE_OWNER_URL: see "A role for the service" in docs/operations.md.'

/** The answer was made at some moment between question and answer. */
function clockOf(serverMs: number, beganMs: number, endedMs: number): Diagnosis {
  const aheadMs = Math.max(serverMs - endedMs, 0)
  const behindMs = Math.max(beganMs - serverMs, 0)
  const skewMs = Math.max(aheadMs, behindMs)
  if (skewMs <= LARGEST_SKEW_MS) return good('clock', 'It agrees with that of the database.')
  const where = aheadMs > 0 ? 'ahead of' : 'behind'
  return bad(
    'clock',
    `The database's clock is ${(skewMs / 1_000).toFixed(1)} s ${where} this machine's.`,
    'Run a time service (chrony, systemd-timesyncd) on both.',
  )
}

function troublesOf(
  facts: DatabaseFacts,
  { timeZone, connections }: { timeZone: string; connections: number },
): Diagnosis[] {
  const found: Diagnosis[] = []
  if (!facts.knowsZone) {
    const says = `The server does not know the time zone ${timeZone}.`
    found.push(
      bad('database', says, "Install the server's time zone data, or set ACTIVITY_TIME_ZONE."),
    )
  }
  if (facts.recovering) {
    const says = 'The server is a read-only standby.'
    found.push(bad('database', says, 'Point DATABASE_URL at the primary, or promote this one.'))
  }
  if (facts.maxConnections < connections) {
    const says = `A replica may open ${connections} connections; the server allows ${facts.maxConnections}.`
    found.push(bad('database', says, 'Lower DATABASE_POOL or WORKERS, or raise max_connections.'))
  }
  if (!facts.hasTables) {
    found.push(note('database', 'It has no tables yet: the first start makes them.'))
  }
  return found
}

const SAMPLE = 500

/** Audits some accounts, or all of them. */
export async function examineAccounting(
  db: Db,
  options: { full: boolean; progress?: (done: number, rules: number) => void },
): Promise<Diagnosis[]> {
  const { full, progress } = options
  let audit
  try {
    audit = await auditLedger(db, {
      ...(full ? {} : { sample: SAMPLE }),
      ...(progress && { progress }),
    })
  } catch (error) {
    if (codeOf(error) === NO_SUCH_TABLE) return [note('books', 'There are none yet.')]
    throw error
  }
  const { accounts, entries, findings } = audit
  const some =
    accounts > SAMPLE ? `up to ${SAMPLE} of ${accounts} accounts` : `accounts: ${accounts}`
  const scope = full ? `${accounts} accounts and ${entries} entries` : some
  if (findings.length === 0) return [good('books', `They balance: ${scope}.`)]
  const cure = 'Stop adjusting balances and see "The books do not balance" in docs/operations.md.'
  return findings.slice(0, 10).map(({ sentence }) => bad('books', sentence, cure))
}

const NO_SUCH_TABLE = '42P01'

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code
}
