import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { Log } from '../lib/log.ts'
import type { Db, Tx } from './db.ts'

type Migration = { number: number; name: string; sql: string; hash: string }

/**
 * Brings the database to the newest shape: numbered files, forward only, all in one transaction
 * under one lock, so that of two processes that start at once one works and the other waits.
 */
export async function migrate(db: Db, log: Log, folder: URL = FOLDER): Promise<void> {
  const migrations = await readMigrations(folder)
  await db.begin(async (tx) => {
    // The second of two processes waits here for the first, however long its migrations take.
    await tx.script(`set local lock_timeout = 0; set local statement_timeout = 0;
      select pg_advisory_xact_lock(7310578)`)
    await tx.script(TABLE)
    const done = await appliedMigrations(tx)
    for (const migration of migrations) {
      const hash = done.get(migration.number)
      if (hash === undefined) await apply(tx, migration, log)
      else if (hash !== migration.hash) throw new Error(changed(migration))
    }
  })
}

const FOLDER = new URL('./migrations/', import.meta.url)
const TABLE = `create table if not exists migrations (
  number int primary key,
  name text not null,
  hash text not null,
  applied_at timestamptz not null default now()
)`

async function readMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  const migrations = await Promise.all(names.map((name) => readMigration(folder, name)))
  const twice = migrations.find((one, i) => one.number === migrations[i + 1]?.number)
  if (twice) throw new Error(`Two migrations have the number ${twice.number}.`)
  return migrations
}

async function readMigration(folder: URL, name: string): Promise<Migration> {
  const number = Number(/^(\d{4})-[a-z0-9-]+\.sql$/.exec(name)?.[1])
  if (!(number > 0)) throw new Error(`The migration ${name} must have a name like 0001-what.sql.`)
  const sql = await readFile(new URL(name, folder), 'utf8')
  if (!sql.startsWith('--'))
    throw new Error(`The migration ${name} does not begin with a comment that says why.`)
  return { number, name, sql, hash: createHash('sha256').update(sql).digest('hex') }
}

async function appliedMigrations(tx: Tx): Promise<Map<number, string>> {
  const rows = await tx.read<{ number: number; hash: string }>(
    'select number, hash from migrations',
  )
  return new Map(rows.map((row) => [row.number, row.hash]))
}

async function apply(tx: Tx, { number, name, sql, hash }: Migration, log: Log): Promise<void> {
  await tx.script(sql)
  await tx.query('insert into migrations (number, name, hash) values ($1, $2, $3)', [
    number,
    name,
    hash,
  ])
  log.debug('A migration was applied.', { reason: name })
}

function changed({ name }: Migration): string {
  return `The migration ${name} was changed after it was applied: add a new file instead.`
}
