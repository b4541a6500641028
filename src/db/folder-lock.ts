import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The embedded engine takes no lock on its folder, and two of them destroy it. One file names the
 * owner by process id and start time, so that a number used again is not taken for the owner.
 */
export async function lockFolder(folder: string): Promise<{ release(): Promise<void> }> {
  await mkdir(folder, { recursive: true })
  const path = join(folder, 'lock')
  const mine = identity(process.pid)
  for (let attempt = 0; attempt < 5; attempt++) {
    if (await created(path, mine)) {
      held.add(path)
      return { release: () => unlock(path) }
    }
    const owner = await readFile(path, 'utf8').catch(() => '')
    if (isAlive(owner, path)) throw new FolderInUse(folder, owner)
    await setAside(path, owner)
  }
  throw new FolderInUse(folder, 'unknown')
}

class FolderInUse extends Error {
  constructor(folder: string, owner: string) {
    super(
      `The data folder ${folder} is in use by another process (${owner.split(' ')[0]}). ` +
        'Stop it first, choose another DATA_DIR, or set DATABASE_URL to share one database.',
    )
    this.name = 'FolderInUse'
  }
}

const held = new Set<string>()

async function unlock(path: string): Promise<void> {
  held.delete(path)
  await rm(path, { force: true })
}

/** Created whole or not at all: a link appears with its content, so nobody reads half an owner. */
async function created(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${process.pid}.${draftNumber++}`
  await writeFile(draft, content)
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

let draftNumber = 0

/** Removes a dead owner's lock, and puts it back if another process took over in between. */
async function setAside(path: string, owner: string): Promise<void> {
  const aside = `${path}.${process.pid}.aside`
  await rename(path, aside).catch(() => {})
  const moved = await readFile(aside, 'utf8').catch(() => owner)
  if (moved !== owner) await link(aside, path).catch(() => {})
  await rm(aside, { force: true })
}

function isAlive(owner: string, path: string): boolean {
  const pid = Number(owner.split(' ')[0])
  if (!Number.isInteger(pid) || pid <= 0) return false
  if (pid === process.pid) return held.has(path)
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return identity(pid) === owner
}

/** Process id and, where the system tells it, the start time. */
function identity(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
    return `${pid} ${started}`
  } catch {
    return `${pid} `
  }
}
