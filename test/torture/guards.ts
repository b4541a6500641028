import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { migratedDatabase, TEMPLATE_VARIABLE } from '../support/databases.ts'
import { startTestServer } from '../support/local-server.ts'
import { GUARDS } from './guard-list/all.ts'
import type { Guard } from './guard-list/guard.ts'

/**
 * `npm run guards [-- part of a name or file]`: removes each guard in a copy of the tree and shows that its
 * test then fails. Exits with 1 when a guard could be removed unnoticed.
 */
const root = join(import.meta.dirname, '../..')
const part = process.argv[2] ?? ''
const guards = GUARDS.filter(({ name, file }) => name.includes(part) || file.includes(part))
const copy = mkdtempSync(join(tmpdir(), 'mlango-guards-'))
const PARTS = ['src', 'console', 'simulator', 'test', 'bin']
for (const part of ['docs', ...PARTS, 'package.json', 'package-lock.json', 'tsconfig.json']) {
  cpSync(join(root, part), join(copy, part), { recursive: true })
}
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
const server = await startTestServer()
let unnoticed = 0

for (const test of new Set(guards.map((guard) => guard.test))) {
  const { passed, output } = await run(test)
  if (passed) continue
  console.log(`${test} fails even with every guard in place:\n${output.slice(-3_000)}`)
  unnoticed += 1
}
for (const guard of guards) {
  const verdict = await without(guard)
  if (verdict !== 'noticed') unnoticed += 1
  console.log(`| ${guard.name} | \`${guard.file}\` | \`${guard.test}\` | ${verdict} |`)
}
await server.stop()
rmSync(copy, { recursive: true, force: true })
console.log(`${guards.length} guards, ${unnoticed} unnoticed`)
process.exitCode = unnoticed === 0 ? 0 : 1

async function without(guard: Guard): Promise<string> {
  const file = join(copy, guard.file)
  const whole = readFileSync(file, 'utf8')
  const parts = whole.split(guard.find)
  if (parts.length !== 2) return `found ${parts.length - 1} times`
  writeFileSync(file, parts.join(guard.put))
  const { passed, failed } = await run(guard.test)
  writeFileSync(file, whole)
  if (passed) return 'UNNOTICED'
  return failed.some((name) => guard.fails.test(name)) ? 'noticed' : 'another test failed'
}

/** `failed` holds the names of the tests that failed: none for a file that does not load. */
async function run(test: string): Promise<{ passed: boolean; failed: string[]; output: string }> {
  // A guard may be part of a migration.
  const migrations = pathToFileURL(join(copy, 'src/db/migrations/'))
  const template = await migratedDatabase(server.url, migrations)
  const child = spawn(process.execPath, ['--test', '--test-reporter=tap', test], {
    cwd: copy,
    env: { ...process.env, [TEMPLATE_VARIABLE]: template },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  // The whole group: the runner has the test in a process of its own, which would stay behind.
  const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), 240_000)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const code = await new Promise((done) => child.once('close', done))
  clearTimeout(timer)
  const failed = [...output.matchAll(/^ *not ok \d+ - (.*)$/gm)].map((match) => match[1]!)
  return { passed: code === 0, failed: failed.filter((name) => name !== test), output }
}
