import type { Db } from '../../db/db.ts'
import { serverVersion } from '../../db/server-version.ts'
import { readDatabaseFacts, type DatabaseFacts } from './database-store.ts'
import { bad, good, note, type Diagnosis } from './diagnosis.ts'

const PART = 'database'
const OLDEST = 15
/** Codes, sessions and callbacks of payments have times on them. */
const LARGEST_SKEW_MS = 2_000

export type DatabaseQuestions = {
  db: Db
  timeZone: string
  /** Of DATABASE_POOL and WORKERS, and what a rolling start needs beside them. */
  connections: number
  nowMs?: () => number
}

/** Version, clock, time zones, connections, and whether it can be written. */
export async function examineDatabase(questions: DatabaseQuestions): Promise<Diagnosis[]> {
  const { db, timeZone, connections, nowMs = Date.now } = questions
  const { major, text } = await serverVersion(db)
  if (major < OLDEST) {
    const says = `The server is PostgreSQL ${text}.`
    return [bad(PART, says, `Mlango needs version ${OLDEST} or later: upgrade the server.`)]
  }
  const beganMs = nowMs()
  const facts = await readDatabaseFacts(db, timeZone)
  const endedMs = nowMs()
  const megabytes = Number(facts.bytes / 1_000_000n)
  return [
    good(PART, `PostgreSQL ${text} answers in ${endedMs - beganMs} ms and has ${megabytes} MB.`),
    clockOf(facts.now.getTime(), beganMs, endedMs),
    ...troublesOf(facts, { timeZone, connections }),
  ]
}

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
    found.push(bad(PART, says, "Install the server's time zone data, or set ACTIVITY_TIME_ZONE."))
  }
  if (facts.recovering) {
    const says = 'The server is a read-only standby.'
    found.push(bad(PART, says, 'Point DATABASE_URL at the primary, or promote this one.'))
  }
  if (facts.maxConnections < connections) {
    const says = `A replica may open ${connections} connections; the server allows ${facts.maxConnections}.`
    found.push(bad(PART, says, 'Lower DATABASE_POOL or WORKERS, or raise max_connections.'))
  }
  if (facts.migrations === 0) {
    found.push(note(PART, 'It has no tables yet: the first start makes them.'))
  }
  return found
}
