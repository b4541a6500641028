import { createWriteStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { Client } from 'pg'
import { ABOUT, MANIFEST, type About, type Manifest, type Progress } from './archive.ts'
import { archiveWriter, type Writer } from './archive-writer.ts'
import { CONTROL, filesToCopy, walToCopy } from './backup-files.ts'
import { majorOf } from '../local/check-data.ts'
import { syncFolder } from '../local/initialise.ts'
import { TAR_END, tarHeader } from './tar.ts'
import { asDatabaseError, DatabaseError } from '../local/database-error.ts'

export type BackupOptions = {
  /** From `useLocalServer`, as is the folder. */
  url: string
  folder: string
  file: string
  /** A file of that name goes, once the new one is whole. */
  replace?: boolean | undefined
  /** `master.key`, where it is in DATA_DIR and not in MASTER_KEY. */
  masterKeyFile?: string | undefined
  progress?: Progress | undefined
}

/** A consistent copy of the running database in one file, by PostgreSQL's own backup protocol. */
export async function backup(options: BackupOptions): Promise<About> {
  const file = resolve(options.file)
  if (!options.replace && existsSync(file))
    throw new DatabaseError(`${file} is there already. Choose another name.`)
  const draft = `${file}.part`
  try {
    await rm(draft, { force: true })
    const about = aboutThis(options)
    const target = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true })
    await pipeline(Readable.from(archive(options, about)), createGzip({ level: 1 }), target)
    await rename(draft, file)
    await syncFolder(dirname(file))
    return about
  } catch (error) {
    await rm(draft, { force: true })
    throw (error as NodeJS.ErrnoException).syscall ? asDatabaseError(error, dirname(file)) : error
  }
}

function aboutThis({ folder, masterKeyFile }: BackupOptions): About {
  const masterKey = masterKeyFile === undefined ? 'kept elsewhere' : 'included'
  const made = new Date().toISOString()
  return { format: 'mlango-backup-1', made, major: majorOf(folder), masterKey }
}

async function* archive(options: BackupOptions, about: About): AsyncGenerator<Buffer> {
  const manifest: Manifest = { files: [] }
  const write = archiveWriter(manifest, options.progress)
  yield* write.text(ABOUT, JSON.stringify(about))
  if (options.masterKeyFile !== undefined) {
    yield* write.text('master.key', readFileSync(options.masterKeyFile, 'utf8'))
  }
  const client = new Client({ connectionString: options.url, application_name: 'mlango backup' })
  client.on('error', () => {})
  await client.connect()
  try {
    yield* data(options.folder, client, write)
  } finally {
    await client.end().catch(() => {})
  }
  yield* write.text(MANIFEST, JSON.stringify(manifest))
  yield TAR_END
}

/** Both ends of a backup must be in one session, and what it needs of the log is held by a slot. */
async function* data(folder: string, client: Client, write: Writer): AsyncGenerator<Buffer> {
  const one = async (sql: string) => (await client.query<Record<string, string>>(sql)).rows[0]!
  await one(`select pg_create_physical_replication_slot('backup_' || pg_backend_pid(), true, true)`)
  const { first } = await one(`select pg_walfile_name(pg_backup_start('mlango', true)) as first`)
  const { folders, files, bytes } = filesToCopy(folder)
  write.expect(bytes)
  for (const name of folders) yield tarHeader({ name: `postgres/${name}`, size: 0, kind: 'folder' })
  for (const name of files) {
    if (name === CONTROL) yield* write.bytes(`postgres/${name}`, await steady(join(folder, name)))
    else yield* write.file(`postgres/${name}`, join(folder, name))
  }
  const { label, last } = await one(
    'select labelfile as label, pg_walfile_name(lsn) as last from pg_backup_stop(false)',
  )
  yield* write.text('postgres/backup_label', label!)
  for (const name of walToCopy(readdirSync(join(folder, 'pg_wal')), first!, last!)) {
    yield* write.file(`postgres/pg_wal/${name}`, join(folder, 'pg_wal', name))
  }
}

/** The server may be writing it at this moment: two equal readings are a whole one. */
async function steady(path: string): Promise<Buffer> {
  for (let before = readFileSync(path); ;) {
    const now = readFileSync(path)
    if (now.equals(before)) return now
    before = now
  }
}
