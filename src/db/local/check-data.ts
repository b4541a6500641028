import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { damaged, otherVersion } from './explain.ts'
import type { Home } from './home.ts'
import { asDatabaseError, DatabaseError } from './database-error.ts'

/** Whether there are data. Refuses those that are broken or of another version, untouched. */
export function hasData(folder: string, major: number): boolean {
  if (entries(folder).length === 0) return false
  const version = majorOf(folder)
  if (version !== String(major))
    throw new DatabaseError(otherVersion(folder, version, String(major)))
  const missing = NEEDED.find((name) => !existsSync(join(folder, name)))
  if (missing !== undefined) throw new DatabaseError(damaged(folder, `${missing} is missing`))
  return true
}

/** Half a restored backup must not be answered with an empty database. */
export function assertNothingUnfinished(home: Pick<Home, 'data' | 'folder'>): void {
  if (!existsSync(home.data) && existsSync(`${home.data}.restoring`)) {
    throw new DatabaseError(
      `A restore into ${home.folder} was not finished. Run it again, or choose another DATA_DIR.`,
    )
  }
}

const NEEDED = ['global/pg_control', 'base', 'pg_wal', 'pg_xact', 'postgresql.conf', 'pg_hba.conf']

export function majorOf(folder: string): string {
  const file = join(folder, 'PG_VERSION')
  if (!existsSync(file)) throw new DatabaseError(damaged(folder, 'PG_VERSION is missing'))
  const text = readFileSync(file, 'utf8').trim()
  if (!/^\d+$/.test(text)) throw new DatabaseError(damaged(folder, 'PG_VERSION is unreadable'))
  return text
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw asDatabaseError(error, folder)
  }
}
