import { diskFull, notWritable } from './database-error.ts'

/** One sentence or two from the last words of `initdb` or `postgres`: the cause and the cure. */
export function explain(words: string, about: { folder: string }): string {
  const known = CAUSES.find(([pattern]) => pattern.test(words))
  return known ? known[1](about.folder, words) : unknown(about.folder, words)
}

const DAMAGE =
  /PANIC|pg_control|control file|checkpoint record|PG_VERSION|invalid page|could not find the database system|not a valid data directory|could not (open|read|access) (file|directory)|invalid (magic number|record|checksum)|backup_label|could not locate|configuration file/i

type Sentence = (folder: string, words: string) => string

/** In this order: too little shared memory sounds like a full disk, and that like damaged data. */
const CAUSES: [RegExp, Sentence][] = [
  [/shared memory segment|anonymous shared memory|shared-memory/i, noSharedMemory],
  [/No space left on device|Disk quota exceeded/i, diskFull],
  [/error while loading shared libraries|Library not loaded/i, missingLibrary],
  [/\bnot found\b|No such file or directory: .*postgres|Exec format error/i, doesNotRun],
  [/could not look up effective user ID (\d+)/i, noSuchUser],
  [/CATALOG_VERSION_NO/, (folder) => otherVersion(folder)],
  [/lock file .* (already exists|is empty)|is another postmaster/i, inUse],
  [/Read-only file system|Permission denied|Operation not permitted|wrong ownership/i, notWritable],
  [DAMAGE, damaged],
]

function missingLibrary(_folder: string, words: string): string {
  const name = /libraries: (\S+?):|not loaded: (\S+)/.exec(words)
  const library = name?.[1] ?? name?.[2] ?? 'a library'
  return `The packaged PostgreSQL needs ${library}, which this system does not have. Install it, or set POSTGRES_BIN_DIR to a PostgreSQL of the system, or DATABASE_URL to a server.`
}

function doesNotRun(): string {
  return 'The packaged PostgreSQL does not run on this system (it needs glibc, which Alpine, for one, has not). Install PostgreSQL 15 or later and set POSTGRES_BIN_DIR to its bin folder, or set DATABASE_URL.'
}

function noSharedMemory(): string {
  return 'The system gives PostgreSQL no shared memory. Allow it (kernel.shmmax, the size of /dev/shm, or the memory limit of the container), or set DATABASE_URL to a server elsewhere.'
}

function noSuchUser(_folder: string, words: string): string {
  const uid = /effective user ID (\d+)/i.exec(words)?.[1]
  return `PostgreSQL cannot make its data folder for the user id ${uid}, which has no line in /etc/passwd. Run as a user that has one, or set DATABASE_URL.`
}

export function otherVersion(folder: string, its?: string, ours?: string): string {
  const versions =
    its === undefined
      ? 'another major version of PostgreSQL'
      : `PostgreSQL ${its}, and this is ${ours}`
  return `The data in ${folder} were made by ${versions}. Run the release of Mlango that made them, or set POSTGRES_BIN_DIR to that version; to change versions, dump and load. Nothing was changed.`
}

function inUse(folder: string): string {
  return `Another PostgreSQL works in ${folder}. Stop it first, or choose another DATA_DIR.`
}

export function damaged(folder: string, words = ''): string {
  return `The data in ${folder} are damaged${said(words)}. Nothing was changed: keep a copy, and restore the last backup into an empty DATA_DIR.`
}

function unknown(folder: string, words: string): string {
  return `PostgreSQL does not start in ${folder}${said(words) || ', and does not say why'}. Nothing was changed.`
}

/** The first words that matter; the ones after it are often only their consequence. */
function said(words: string): string {
  // Before it has read its settings the server puts the time in front.
  const lines = words.split('\n').map((line) => line.replace(/^\d{4}-.*?\] /, '').trim())
  const line =
    lines.find((one) => /\b(PANIC|FATAL|error):/.test(one)) ?? lines.find((one) => one !== '')
  return line === undefined ? '' : ` (${line.replace(/\s+/g, ' ').slice(0, 300)})`
}
