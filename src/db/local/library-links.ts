import { chmodSync, mkdirSync, readFileSync, readlinkSync, renameSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'

/**
 * A package cannot carry symbolic links, so it brings a list of the names that its libraries are
 * looked up by. They are made here, at each start, in a folder of ours: `node_modules` may be
 * read-only or belong to someone else, and may have moved since the last time.
 */
export function linkLibraries(native: string, folder: string): void {
  mkdirSync(folder, { recursive: true })
  // Whatever the umask says: the server may be another user.
  chmodSync(folder, 0o755)
  for (const { name, file } of libraryNames(native)) {
    linkTo(join(native, 'lib', file), join(folder, name))
  }
}

/** Both are plain names within the folder of libraries. */
export function libraryNames(native: string): { name: string; file: string }[] {
  const list = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as unknown
  if (!Array.isArray(list)) return []
  return (list as { source: string; target: string }[])
    .filter(({ target }) => target.includes('/lib/'))
    .map(({ source, target }) => ({ name: basename(target), file: basename(source) }))
}

function linkTo(target: string, path: string): void {
  if (currentTarget(path) === target) return
  const draft = `${path}.${process.pid}`
  symlinkSync(target, draft)
  renameSync(draft, path)
}

function currentTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
