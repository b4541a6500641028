import { spawn } from 'node:child_process'
import { existsSync, globSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { migratedDatabase, TEMPLATE_VARIABLE } from './support/databases.ts'
import { startTestServer } from './support/local-server.ts'

/**
 * `npm test`, or `npm test -- test/db test/ledger/money.test.ts`. Starts one PostgreSQL server for
 * the whole run, as the service does for itself; every test file has databases of its own on it.
 */
const root = join(import.meta.dirname, '..')
const args = process.argv.slice(2)
const options = args.filter((arg) => arg.startsWith('--'))
const paths = args.filter((arg) => !arg.startsWith('--'))
const files = (paths.length > 0 ? paths : ['test']).flatMap(testFiles)
if (files.length === 0) {
  console.error(`No test files in ${paths.join(', ')}.`)
  process.exit(1)
}

// Databases that live for seconds need no vacuum, and it would visit each of them.
const server = await startTestServer({ settings: { autovacuum: 'off' } })
// Many files wait more than they work: three at a time keep two cores busy.
const child = spawn(
  process.execPath,
  ['--test', '--test-reporter=spec', '--test-concurrency=3', ...options, ...files],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      // Every test file is a process of its own: without the cache each compiles the service anew.
      NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
      ...process.env,
      [TEMPLATE_VARIABLE]: await migratedDatabase(server.url),
    },
  },
)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
const code = await new Promise<number>((done) => child.once('exit', (code) => done(code ?? 1)))
await server.stop()
process.exit(code)

function testFiles(path: string): string[] {
  const full = resolve(root, path)
  if (!existsSync(full)) throw new Error(`There is no ${path}.`)
  if (statSync(full).isFile()) return [relative(root, full)]
  return globSync('**/*.test.ts', { cwd: full }).map((name) => relative(root, join(full, name)))
}
