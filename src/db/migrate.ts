import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import type { Log } from '../lib/log.ts'
import type { Db, Tx } from './db.ts'

type Migration = Applied & { sql: string }
type Applied = { number: number; name: string; hash: string }

/**
 * Brings the database to the newest shape: numbered files, forward only, all in one transaction
 * under one lock, so that of two processes that start at once one works and the other waits.
 */
export async function migrate(db: Db, log: Log, folder: URL = FOLDER): Promise<void> {
  const migrations = await readMigrations(folder)
  await db.begin(async (tx) => {
    await tx.script(MIGRATION_LOCK)
    // A role that may make no tables asks too, of a database that is up to date.
    if (!(await hasMigrations(tx))) await tx.script(TABLE)
    const applied = await appliedMigrations(tx)
    if (applied.some((one) => isOfAnotherLine(one, migrations))) throw new ForeignDatabaseError()
    for (const migration of migrations) {
      const before = applied.find(({ number }) => number === migration.number)
      if (before === undefined) await apply(tx, migration, log)
      else if (before.hash !== migration.hash) throw new Error(changed(migration))
    }
  })
}

/** Made before the first release, whose migrations were other files: nothing leads from them to ours. */
export class ForeignDatabaseError extends Error {
  constructor() {
    super(
      'This database was made by a version of Mlango before its first release. ' +
        'This version cannot read it.',
    )
    this.name = 'ForeignDatabaseError'
  }
}

/** The second of two processes waits here for the first, however long its migrations take. */
export const MIGRATION_LOCK = `set local lock_timeout = 0; set local statement_timeout = 0;
  select pg_advisory_xact_lock(7310578)`

const FOLDER = new URL('./migrations/', import.meta.url)
const TABLE = `create table migrations (
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

async function hasMigrations(tx: Tx): Promise<boolean> {
  const [row] = await tx.read<{ there: boolean }>(
    `select to_regclass('migrations') is not null as there`,
  )
  return row!.there
}

function appliedMigrations(tx: Tx): Promise<Applied[]> {
  return tx.read<Applied>('select number, name, hash from migrations')
}

/** A number beyond ours is a later version's, beside which this one may run. */
function isOfAnotherLine({ number, name }: Applied, ours: Migration[]): boolean {
  const own = ours.find((migration) => migration.number === number)
  return own === undefined ? number < (ours.at(-1)?.number ?? 0) : own.name !== name
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
