import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Binaries } from './binaries.ts'
import { explain } from './explain.ts'
import { giveTo, type Home } from './home.ts'
import { endLeftovers } from './leftovers.ts'
import { initdbArguments } from './settings.ts'
import { asDatabaseError, DatabaseError } from './database-error.ts'
import { spawnWatched } from './watched-child.ts'

/**
 * Makes the data folder aside and renames it into place when it is whole and on the disk: a first
 * start that is killed half-way leaves only a draft, which the next one throws away.
 */
export async function initialise(home: Home, binaries: Binaries): Promise<void> {
  const draft = `${home.data}.new`
  try {
    await endLeftovers(draft)
    rmSync(draft, { recursive: true, force: true })
    mkdirSync(draft, { mode: 0o700 })
    giveTo(home.as, draft)
  } catch (error) {
    throw asDatabaseError(error, home.folder)
  }
  await runInitdb(home, binaries, draft)
  renameSync(draft, home.data)
  await syncFolder(home.folder)
}

async function runInitdb(home: Home, binaries: Binaries, draft: string): Promise<void> {
  const child = spawnWatched({
    command: binaries.initdb,
    args: initdbArguments(binaries.major, home.reachable ? draft : HERE),
    as: home.as,
    folder: draft,
    env: binaries.env,
    orphaned: 'kill',
  })
  const how = await child.ended
  if (how === 'exit code 0') return
  throw new DatabaseError(explain(child.words() || how, { folder: home.folder }))
}

/**
 * For a server whose user may not pass through the folders above its data: root starts it inside,
 * and this name leads there without a walk. The data stay where the operator wants them.
 */
export const HERE = '/proc/self/cwd'

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}
