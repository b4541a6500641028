import { auditLedger } from '../../../src/ledger/audit-store.ts'
import type { Db } from '../../../src/db/db.ts'
import { startLocalServer } from '../../../src/db/local/start.ts'
import { openDatabase } from '../../../src/db/database.ts'
import { silentLog } from '../../../src/lib/log.ts'

/** Starts a server on what the disk holds, and says what is wrong or missing. */
export async function examine(dataDir: string, acknowledged: string[]): Promise<string[]> {
  const options = { dataDir, connections: 20, log: silentLog }
  const server = await startLocalServer(options).catch((error: Error) => error)
  if (server instanceof Error) return [`it does not start: ${server.message}`]
  const db = openDatabase({ url: server.url, poolSize: 2, log: silentLog })
  try {
    if (acknowledged.length === 0 && !(await hasLedger(db))) return []
    return [
      ...(await missing(db, acknowledged)),
      ...(await auditLedger(db)).findings.map((finding) => finding.sentence),
      ...(await brokenIndexes(db)),
    ]
  } catch (error) {
    return [`it cannot be read: ${(error as Error).message}`]
  } finally {
    await db.close()
    await server.stop()
  }
}

async function hasLedger(db: Db): Promise<boolean> {
  const [row] = await db.query<{ name: string | null }>(
    `select to_regclass('ledger_entries')::text as name`,
  )
  return row!.name !== null
}

async function missing(db: Db, acknowledged: string[]): Promise<string[]> {
  const rows = await db.query<{ key: string; n: bigint }>(
    'select key, count(*) as n from ledger_entries group by key',
  )
  const found = new Map(rows.map((row) => [row.key, row.n]))
  const lost = acknowledged.filter((key) => !found.has(key))
  const twice = rows.filter((row) => row.n > 1n)
  return [
    ...(lost.length > 0 ? [`${lost.length} of ${acknowledged.length} acknowledged are lost`] : []),
    ...(twice.length > 0 ? [`${twice.length} entries are there twice`] : []),
  ]
}

/** Every page of every table and index is read, its checksum compared, and each row sought in its indexes. */
async function brokenIndexes(db: Db): Promise<string[]> {
  await db.query('create extension if not exists amcheck')
  const indexes = await db.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_am a on a.oid = c.relam
     where c.relkind = 'i' and a.amname = 'btree' and c.relpersistence = 'p'`,
  )
  const broken: string[] = []
  for (const { name } of indexes) {
    await db
      .query('select bt_index_check($1::regclass, true)', [name])
      .catch((error: Error) => broken.push(`${name}: ${error.message}`))
  }
  return broken
}
