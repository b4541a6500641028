import { createHash, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe } from 'node:test'
import { Client } from 'pg'
import type { Db } from '../../src/db/db.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openServer } from '../../src/db/server.ts'
import { silentLog } from '../../src/lib/log.ts'
import { startPostgres, type Postgres } from './postgres.ts'

/** Opens a fresh, migrated database, which is closed when the suite ends. */
export type Open = () => Promise<Db>

/** A suite that opens databases and need not close them. */
export function onEachEngine(name: string, define: (open: Open) => void): void {
  describe(name, () => {
    const opened: Db[] = []
    define(async () => {
      const db = await freshServer()
      opened.push(db)
      return db
    })
    // After the suite's own last checks, which still need the database.
    after(async () => {
      for (const db of opened) await db.close()
    })
  })
}

export { freshServer as freshDb, freshServer as freshEmbedded, onEachEngine as withDatabase }

/** The address of a fresh, migrated database on the test server; any number may connect. */
export async function freshDatabase(): Promise<string> {
  const server = await serverUrl()
  const name = freshName()
  await asAdmin(server, async (admin) => {
    await admin.query('select pg_advisory_lock(1)')
    await ensureTemplate(admin, server)
    await admin.query(`create database ${name} template ${templateName()}`)
  })
  return withDatabase(server, name)
}

/** The address of a database with nothing in it. */
export { freshDatabase as freshServerDatabase, emptyDatabase as emptyServerDatabase }
async function emptyDatabase(): Promise<string> {
  const server = await serverUrl()
  const name = freshName()
  await asAdmin(server, async (admin) => {
    await admin.query(`create database ${name}`)
  })
  return withDatabase(server, name)
}

function freshName(): string {
  return `t_${randomUUID().replaceAll('-', '')}`
}

async function freshServer(): Promise<Db> {
  return openServer({ url: await freshDatabase(), poolSize: 10, log: silentLog })
}

const templateName = () => `template_${migrationsHash()}`

/** Built under another name first: a template that others are connected to cannot be copied. */
async function ensureTemplate(admin: Client, server: string): Promise<void> {
  const known = await admin.query('select 1 from pg_database where datname = $1', [templateName()])
  if (known.rows.length > 0) return
  const draft = `draft_${randomUUID().replaceAll('-', '')}`
  await admin.query(`create database ${draft}`)
  const db = openServer({ url: withDatabase(server, draft), poolSize: 2, log: silentLog })
  await migrate(db, silentLog).finally(() => db.close())
  await admin.query(`alter database ${draft} rename to ${templateName()}`)
}

async function asAdmin(url: string, work: (admin: Client) => Promise<void>): Promise<void> {
  const admin = new Client({ connectionString: url })
  await admin.connect()
  try {
    await work(admin)
  } finally {
    await admin.end()
  }
}

let own: Promise<Postgres> | undefined

/** The server of the whole run, or one of our own when a file is run by itself. */
async function serverUrl(): Promise<string> {
  if (process.env.TEST_POSTGRES_URL) return process.env.TEST_POSTGRES_URL
  own ??= startPostgres()
  const server = await own
  server.unref()
  return server.url
}

function withDatabase(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

let knownHash: string | undefined

/** Changes with every migration, so that no test gets outdated tables. */
function migrationsHash(): string {
  if (knownHash !== undefined) return knownHash
  const folder = join(import.meta.dirname, '../../src/db/migrations')
  const hash = createHash('sha256')
  for (const name of readdirSync(folder).sort()) {
    hash.update(name).update(readFileSync(join(folder, name)))
  }
  knownHash = hash.digest('hex').slice(0, 16)
  return knownHash
}
