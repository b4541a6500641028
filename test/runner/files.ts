import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const ROOT = join(import.meta.dirname, '../..')

/** The test files in these folders or of these names, the slowest folders first. */
export function testFiles(paths: string[]): string[] {
  const place = (file: string) => SLOW.findIndex((folder) => file.startsWith(folder)) >>> 0
  return paths.flatMap(filesIn).sort((a, b) => place(a) - place(b))
}

/** So that no worker begins one when the others have nothing left to do. */
const SLOW = [
  'test/torture/',
  'test/console/',
  'test/faults/',
  'test/clients/',
  'test/contract/',
  'test/upstream/wire/',
  'test/http/',
]

function filesIn(path: string): string[] {
  const full = resolve(ROOT, path)
  if (!existsSync(full)) throw new Error(`There is no ${path}.`)
  if (statSync(full).isFile()) return [relative(ROOT, full)]
  return globSync('**/*.test.ts', { cwd: full })
    .sort()
    .map((name) => relative(ROOT, join(full, name)))
}

/** What a test imports that starts a database server, a service of its own or a browser. */
const STARTS = new Set([
  'test/support/databases.ts',
  'test/support/local-server.ts',
  'test/support/replica.ts',
  'test/support/child.ts',
  'test/support/command.ts',
  'test/db/local/support.ts',
  'test/console/support/browser.ts',
  'test/console/support/build-pages.ts',
])

/** Whether the file or anything of `test` that it imports starts one. */
export function needsServer(file: string, seen = new Set<string>()): boolean {
  if (STARTS.has(file)) return true
  if (seen.has(file)) return false
  seen.add(file)
  const text = readFileSync(join(ROOT, file), 'utf8')
  return [...text.matchAll(/\bfrom '(\.[^']+\.ts)'/g)]
    .map(([, from]) => join(dirname(file), from!))
    .filter((target) => target.startsWith('test/'))
    .some((target) => needsServer(target, seen))
}
