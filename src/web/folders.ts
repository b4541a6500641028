import { createHash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

/** What the pages are built from: a change makes the built pages stale. */
const SOURCES = ['console/src/**/*', 'console/*.{ts,json}', 'package-lock.json']

/** Where built pages may be: beside their sources when built ahead, else among the data. */
export type ConsoleFolders = {
  /** The name of the folder with the pages built from these sources. */
  hash: string
  places: [ahead: string, data: string]
}

export function consoleFolders(dataDir: string): ConsoleFolders {
  return {
    hash: hashOfSources(),
    places: [join(ROOT, 'console/built'), resolve(dataDir, 'console')],
  }
}

function hashOfSources(): string {
  const hash = createHash('sha256')
  const files = globSync(SOURCES, { cwd: ROOT, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  for (const file of files) {
    hash.update(file.slice(ROOT.length)).update('\0').update(readFileSync(file)).update('\0')
  }
  return hash.digest('hex').slice(0, 16)
}
