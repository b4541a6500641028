import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { chooseRunAs, type RunAs } from './run-as.ts'
import { asDatabaseError, DatabaseError, notWritable } from './database-error.ts'

/** DATA_DIR, and who works in it. */
export type Home = {
  folder: string
  /** `postgres` within it: the data. */
  data: string
  as: RunAs
  /** Whether the server's user can enter the folder by its path. */
  reachable: boolean
}

export function openHome(dataDir: string): Home {
  const folder = madeFolder(dataDir)
  const data = join(folder, 'postgres')
  const found = statSync(data, { throwIfNoEntry: false })
  const uid = process.getuid?.()
  if (found !== undefined && uid !== undefined && uid !== 0 && found.uid !== uid) {
    throw new DatabaseError(
      `The data in ${data} belong to user id ${found.uid}, and this is ${uid}. Run as that user or as root, or choose another DATA_DIR.`,
    )
  }
  const as = chooseRunAs({ uid, passwd: readPasswd(), dataOwner: found })
  return { folder, data, as, reachable: canEnter(folder, as) }
}

/** A folder of the server's own within reach of nobody else. */
export function giveTo(as: RunAs, folder: string): void {
  if (as.uid !== undefined && as.gid !== undefined) chownSync(folder, as.uid, as.gid)
  chmodSync(folder, 0o700)
}

function madeFolder(dataDir: string): string {
  try {
    const isNew = mkdirSync(dataDir, { recursive: true, mode: 0o700 }) !== undefined
    // Root's server is another user, who must pass through it but not look around.
    if (isNew && process.getuid?.() === 0) chmodSync(dataDir, 0o711)
    return realpathSync(dataDir)
  } catch (error) {
    throw asDatabaseError(error, dataDir)
  }
}

/** By trial: modes alone do not tell of access lists and of user namespaces. */
function canEnter(folder: string, as: RunAs): boolean {
  if (as.uid === undefined) return true
  const tried = spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...as, cwd: '/' })
  if (tried.error !== undefined) throw new DatabaseError(cannotBecome(as), { cause: tried.error })
  return tried.status === 0
}

function cannotBecome({ uid }: RunAs): string {
  return `PostgreSQL does not run as root, and this root may not start a process as user id ${uid} (a container without that right?). Run Mlango as an ordinary user, or set DATABASE_URL.`
}

function readPasswd(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8')
  } catch {
    return ''
  }
}

/** A fault of the file system becomes a sentence; the lock's own words say nothing to an operator. */
export async function writing<T>(folder: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ERR_SQLITE_ERROR') throw new DatabaseError(notWritable(folder), { cause: error })
    throw code === undefined ? error : asDatabaseError(error, folder)
  }
}

/** Data that came from elsewhere as root, such as a copied folder, go to the server's user. */
export function ownData({ data, as }: Home): void {
  if (as.uid === undefined || as.gid === undefined) {
    chmodSync(data, 0o700)
    return
  }
  if (statSync(data).uid !== as.uid) {
    for (const name of readdirSync(data, { recursive: true, encoding: 'utf8' })) {
      lchownSync(join(data, name), as.uid, as.gid)
    }
  }
  giveTo(as, data)
}
