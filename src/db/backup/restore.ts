import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readArchive } from './archive-reader.ts'
import type { About, Progress } from './archive.ts'
import { findBinaries } from '../local/binaries.ts'
import { otherVersion } from '../local/explain.ts'
import { lockFolder } from '../local/folder-lock.ts'
import { openHome, ownData, writing, type Home } from '../local/home.ts'
import { syncFolder } from '../local/initialise.ts'
import type { LocalOptions } from '../local/start.ts'
import { asDatabaseError, DatabaseError } from '../local/database-error.ts'

export type RestoreOptions = Pick<LocalOptions, 'dataDir' | 'binDir' | 'native' | 'copyPlaces'> & {
  file: string
  progress?: Progress | undefined
}

/**
 * Brings a backup into an empty DATA_DIR. It stands under its name only when every file has the
 * size and the hash of the list; the next start of the server plays the rest of its log.
 */
export async function restore(options: RestoreOptions): Promise<About> {
  const home = openHome(options.dataDir)
  const lock = await writing(home.folder, () => lockFolder(home.folder, 'command'))
  try {
    assertEmpty(home)
    const file = resolve(options.file)
    if (!existsSync(file)) throw new DatabaseError(`There is no file ${file}.`)
    const { major } = findBinaries({ ...options, home: home.folder, as: home.as })
    const draft = `${home.data}.restoring`
    rmSync(draft, { recursive: true, force: true })
    mkdirSync(draft, { mode: 0o700 })
    const { about, masterKey } = await unpacked({ ...options, file }, draft, major)
    if (masterKey !== undefined) {
      writeFileSync(join(home.folder, 'master.key'), masterKey, { mode: 0o600, flush: true })
    }
    renameSync(draft, home.data)
    ownData(home)
    await syncFolder(home.folder)
    return about
  } finally {
    lock.release()
  }
}

/** Apart from what starts leave behind, and what an unfinished restore did. */
function assertEmpty(home: Home): void {
  const found = readdirSync(home.folder).filter((name) => !OURS.test(name))
  if (found.length === 0) return
  throw new DatabaseError(
    `DATA_DIR ${home.folder} is not empty (${found.slice(0, 3).join(', ')}). A backup is restored into an empty folder only: choose another DATA_DIR. Nothing was changed.`,
  )
}

const OURS = /^(lock|lock\.owner|lib|run|postgres\.restoring|mlango-postgres-.*)$/

async function unpacked({ file, progress }: RestoreOptions, draft: string, major: number) {
  try {
    return await readArchive(file, draft, {
      progress,
      accept: (about) => {
        if (about.major === String(major)) return
        throw new DatabaseError(otherVersion(file, about.major, String(major)))
      },
    })
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw (error as NodeJS.ErrnoException).syscall ? asDatabaseError(error, draft) : error
  }
}
