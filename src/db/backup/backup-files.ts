import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export type BackupFiles = { folders: string[]; files: string[]; bytes: number }

/** What a backup copies from a data folder in use, by the rules in PostgreSQL's manual. */
export function filesToCopy(folder: string): BackupFiles {
  const found: BackupFiles = { folders: [], files: [], bytes: 0 }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const name = join(entry.parentPath, entry.name).slice(folder.length + 1)
    if (!isCopied(name)) continue
    if (entry.isDirectory()) found.folders.push(name)
    else if (entry.isFile() && name !== CONTROL) found.files.push(name)
    else if (entry.isSymbolicLink())
      throw new Error(`${name} is a link: tablespaces are not supported.`)
    if (entry.isFile()) found.bytes += sizeOf(join(folder, name))
  }
  // Last: recovery begins where it points to, and everything else is older by then.
  found.files.push(CONTROL)
  return found
}

export const CONTROL = 'global/pg_control'

/** Pure. The folders stay, without what is of this moment or of this machine. */
export function isCopied(name: string): boolean {
  const parts = name.split('/')
  if (parts.length > 1 && EMPTIED.has(parts[0]!)) return parts[0] === 'pg_wal' && isWalFolder(name)
  return !LEFT_OUT.has(name) && !parts.some((part) => PASSING.test(part))
}

const EMPTIED = new Set([
  'pg_wal', // exactly the needed part is added at the end
  'pg_replslot',
  'pg_dynshmem',
  'pg_notify',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
])

/** Temporary files and tables, and a cache that is made again. */
const PASSING = /^pgsql_tmp|^pg_internal\.init|^t\d+_\d+/

const LEFT_OUT = new Set([
  'postmaster.pid',
  'postmaster.opts',
  'backup_label',
  'backup_label.old',
  'tablespace_map',
  'tablespace_map.old',
  'current_logfiles',
  'backup_manifest',
])

function isWalFolder(name: string): boolean {
  return name === 'pg_wal/archive_status' || name === 'pg_wal/summaries'
}

/** Pure. The segments of the log from the start to the end of a backup, and the histories. */
export function walToCopy(names: string[], first: string, last: string): string[] {
  return names
    .filter((name) => /^[0-9A-F]{8}\.history$/.test(name) || isBetween(name, first, last))
    .sort()
}

function isBetween(name: string, first: string, last: string): boolean {
  return /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
