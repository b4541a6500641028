import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, describe } from 'node:test'
import { Client } from 'pg'
import type { Db } from '../../src/db/db.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openDatabase } from '../../src/db/database.ts'
import { grantToService } from '../../src/db/service-role.ts'
import { SERVICE_USER } from '../../src/db/local/settings.ts'
import { silentLog } from '../../src/lib/log.ts'

/** Opens a fresh, migrated database, which is closed when the suite ends. */
export type Open = () => Promise<Db>

/** A suite that opens databases and need not close them. */
export function withDatabase(name: string, define: (open: Open) => void): void {
  describe(name, () => {
    const opened: Db[] = []
    define(async () => {
      const db = await freshDb()
      opened.push(db)
      return db
    })
    // After the suite's own last checks, which still need the database.
    after(async () => {
      for (const db of opened) await db.close()
    })
  })
}

/** A fresh, migrated database; who opens it closes it. */
export async function freshDb(): Promise<Db> {
  const url = await freshDatabase()
  return openDatabase({ url, poolSize: 10, log: silentLog, connectMs: 60_000 })
}

/** The address of a fresh, migrated database; any number may connect. */
export function freshDatabase(): Promise<string> {
  return createForThisFile(nameIn)
}

/** The address of a database with nothing in it. */
export function emptyDatabase(): Promise<string> {
  return createForThisFile(() => 'template1')
}

/** A new database with every migration. As the template of a whole run it saves all others theirs. */
export async function migratedDatabase(server: string, migrations?: URL): Promise<string> {
  const url = await createDatabase(server, 'template1')
  const db = openDatabase({ url, poolSize: 2, log: silentLog })
  const prepare = async () => {
    await migrate(db, silentLog, migrations)
    await grantToService(db, SERVICE_USER)
  }
  await prepare().finally(() => db.close())
  return url
}

/** The same database in the role of the service, which may not do all that a test does. */
export function asService(url: string): string {
  const address = new URL(url)
  address.username = SERVICE_USER
  return address.href
}

/** The variables of a run: the template itself, or where it is told over HTTP. */
export const TEMPLATE_VARIABLE = 'TEST_DATABASE_TEMPLATE'
export const DATABASE_VARIABLE = 'TEST_DATABASE_AT'

let template: Promise<string> | undefined

function templateUrl(): Promise<string> {
  const { [TEMPLATE_VARIABLE]: url, [DATABASE_VARIABLE]: at } = process.env
  if (url !== undefined) return Promise.resolve(url)
  return (template ??= at === undefined ? startOwnDatabase() : fetch(at).then(textOf))
}

async function textOf(answer: Response): Promise<string> {
  if (answer.ok) return answer.text()
  throw new Error(`The database of the tests did not start: ${await answer.text()}`)
}

/** For a file that runs by itself, as `node --test FILE` or from an editor. */
async function startOwnDatabase(): Promise<string> {
  const program = join(import.meta.dirname, 'children/own-database.ts')
  const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'ignore'] })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  // It ends when this process does, and keeps nothing waiting.
  child.unref()
  for (const pipe of [child.stdin, child.stdout]) (pipe as Socket).unref()
  return line as string
}

async function createForThisFile(from: (template: string) => string): Promise<string> {
  const template = await templateUrl()
  const url = await createDatabase(template, from(template))
  made.push(url)
  return url
}

const made: string[] = []

/** When the tests are over and have closed what they opened. */
process.once('beforeExit', dropDatabases)

export async function dropDatabases(): Promise<void> {
  for (const url of made.splice(0)) {
    await asAdmin(url, `drop database ${nameIn(url)} with (force)`)
  }
}

async function createDatabase(server: string, template: string): Promise<string> {
  const name = `t_${randomUUID().replaceAll('-', '')}`
  await asAdmin(server, `create database ${name} template ${template} strategy file_copy`)
  return named(server, name)
}

async function asAdmin(server: string, sql: string): Promise<void> {
  const admin = new Client({ connectionString: named(server, 'postgres') })
  await admin.connect()
  await admin.query(sql).finally(() => admin.end())
}

function nameIn(url: string): string {
  return new URL(url).pathname.slice(1)
}

function named(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}
