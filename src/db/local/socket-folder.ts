import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { giveTo, type Home } from './home.ts'
import { asDatabaseError, DatabaseError } from './database-error.ts'

/** The folder of the server's socket: in DATA_DIR, or a short one where its path is too long. */
export function makeSocketFolder(home: Home): string {
  const choices = socketFolders(home, process.getuid?.() === 0)
  for (const folder of choices) {
    if (isMade(folder, home)) return folder
  }
  throw new DatabaseError(
    `There is no folder for the socket of PostgreSQL: tried ${choices.join(', ')}. Choose a DATA_DIR with a shorter path.`,
  )
}

/** The next start makes it again. */
export function dropSocketFolder(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Something else is in it, or it is gone already.
  }
}

/**
 * For a start, once no server works in the data any more. PostgreSQL takes the process it names for
 * a living server if that is a zombie or by now a stranger, and refuses one that a loss of power
 * left empty.
 */
export function dropSocketLock(folder: string): void {
  rmSync(join(folder, '.s.PGSQL.5432.lock'), { force: true })
}

/** Pure. Not /run/user, which goes when its user logs out; the server keeps its file in /tmp fresh. */
export function socketFolders(home: Pick<Home, 'folder' | 'reachable'>, isRoot: boolean): string[] {
  const own = join(home.folder, 'run')
  const hash = createHash('sha256').update(home.folder).digest('hex').slice(0, 16)
  const short = [...(isRoot ? ['/run'] : []), '/tmp', '/var/tmp'].flatMap((place) =>
    // The second name is for the case that someone else took the first.
    [`${place}/mlango-${hash}`, `${place}/mlango-${hash}-${process.getuid?.() ?? 0}`],
  )
  return home.reachable && fits(own) ? [own, ...short] : short
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, '.s.PGSQL.5432')) <= LONGEST_PATH
}

/** What an address of a socket holds, without the zero at its end. */
const LONGEST_PATH = process.platform === 'linux' ? 107 : 103

/** Made by us, or found as we would have made it: not a link, not another user's, closed to all others. */
function isMade(folder: string, { as }: Home): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 })
    giveTo(as, folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') throw asDatabaseError(error, folder)
  }
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found === undefined || !found.isDirectory() || (found.mode & 0o077) !== 0) return false
  const wanted = as.uid ?? process.getuid?.()
  // Left by a start that was killed in between, or by one as another user.
  if (found.uid !== wanted && process.getuid?.() === 0 && found.uid === 0) giveTo(as, folder)
  else if (found.uid !== wanted) return false
  return true
}
