import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { DatabaseError } from './database-error.ts'

/** A service stays, an operator's command is soon over: whoever finds one waits. */
export type Holder = 'service' | 'command'
export type Held = { release(): void }
export type Owner = { pid: number; holder: Holder }

/**
 * One process owns a data folder. The lock is the kernel's, so it ends with its process however
 * that ends: a dead process or a zombie holds nothing, and there is no file to judge by its age.
 * Node has no call for such a lock, but the SQLite inside it takes one for an exclusive transaction.
 */
export function tryLock(folder: string, holder: Holder): Held | Owner {
  const path = join(folder, 'lock')
  // Owner only: whoever may read a file may also lock it. Not touched when it is there: closing a
  // file gives up every lock of this process on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  const file = new DatabaseSync(path, { timeout: 0 })
  try {
    file.exec('pragma journal_mode = memory; begin exclusive')
  } catch (error) {
    file.close()
    const { errcode } = error as { errcode?: unknown }
    if (errcode === BUSY) return ownerOf(folder)
    throw error
  }
  try {
    writeFileSync(join(folder, 'lock.owner'), `${process.pid} ${holder}\n`)
  } catch (error) {
    file.close()
    throw error
  }
  return { release: () => file.close() }
}

const BUSY = 5

export function isHeld(lock: Held | Owner): lock is Held {
  return 'release' in lock
}

/**
 * Waits for a command to end, and for a process that is dying: its threads may hold the lock a
 * moment longer than it can be seen. A service that lives does not end by waiting.
 */
export async function lockFolder(
  folder: string,
  holder: Holder,
  patienceMs = 60_000,
): Promise<Held> {
  const start = performance.now()
  for (;;) {
    const lock = tryLock(folder, holder)
    if (isHeld(lock)) return lock
    const limitMs = lock.holder === 'service' && isAlive(lock.pid) ? 1_000 : patienceMs
    if (performance.now() - start > Math.min(limitMs, patienceMs)) throw inUse(folder, lock)
    await sleep(20)
  }
}

/** Not by a signal, which a zombie takes as well. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    // Without /proc nobody knows, and the lock itself is the better witness.
    return !existsSync('/proc/self')
  }
}

function inUse(folder: string, { pid, holder }: Owner): DatabaseError {
  const who = holder === 'service' ? 'another Mlango' : "an operator's command"
  return new DatabaseError(
    `The data folder ${folder} is in use by ${who} (process ${pid || 'unknown'}). ` +
      'Stop it first, choose another DATA_DIR, or set DATABASE_URL to share one database.',
  )
}

function ownerOf(folder: string): Owner {
  const [pid, holder] = readOwner(folder).split(' ')
  return { pid: Number(pid) || 0, holder: holder?.trim() === 'command' ? 'command' : 'service' }
}

function readOwner(folder: string): string {
  try {
    return readFileSync(join(folder, 'lock.owner'), 'utf8')
  } catch {
    // Locked this very moment, and not yet named.
    return ''
  }
}
