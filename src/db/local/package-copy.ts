import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { basename, extname, join } from 'node:path'
import { libraryNames } from './library-links.ts'

/**
 * A copy of the packaged PostgreSQL where the server's user can reach it, for the case that the
 * checkout lies in a home that nobody else may enter. It stands under its name only when whole, and
 * is used again by later starts.
 */
export function copyPackage(native: string, name: string, places: string[]): string | undefined {
  for (const place of places) {
    const copy = join(place, name)
    if (isOurs(copy) || madeCopy(native, place, copy)) return copy
  }
  return undefined
}

/** Not someone else's folder of the same name: what is in it will be run. */
function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found === undefined || !found.isDirectory()) return false
  return found.uid === process.getuid?.() && (found.mode & 0o022) === 0
}

function madeCopy(native: string, place: string, copy: string): boolean {
  let draft: string | undefined
  try {
    mkdirSync(place, { recursive: true })
    draft = mkdtempSync(`${copy}.`)
    cpSync(native, draft, { recursive: true, filter: (path) => isNeeded(path) })
    for (const { name, file } of libraryNames(native)) symlinkSync(file, join(draft, 'lib', name))
    chmodSync(draft, 0o755)
    renameSync(draft, copy)
    return true
  } catch {
    // No such place, no room, or no right to write there: the next one is tried.
    if (draft !== undefined) rmSync(draft, { recursive: true, force: true })
    return isOurs(copy)
  }
}

/** Not the parts for building programs, which are never run. */
function isNeeded(path: string): boolean {
  return extname(path) !== '.a' && basename(path) !== 'pkgconfig'
}
