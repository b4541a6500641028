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
 * `npm run guards [-- parts of names or files]`: removes each guard in a copy of the tree and shows that
 * its test then fails. Exits with 1 when a guard could be removed unnoticed.
 */
const root = join(import.meta.dirname, '../..')
const wanted = process.argv.slice(2)
const guards = GUARDS.filter(
  ({ name, file }) =>
    wanted.length === 0 || wanted.some((part) => name.includes(part) || file.includes(part)),
)
const copy = mkdtempSync(join(tmpdir(), 'mlango-guards-'))
const PARTS = ['src', 'console', 'simulator', 'test', 'bin']
for (const part of ['docs', ...PARTS, 'package.json', 'package-lock.json', 'tsconfig.json']) {
  cpSync(join(root, part), join(copy, part), { recursive: true })
}
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
const server = await startTestServer()
const migrations = pathToFileURL(join(copy, 'src/db/migrations/'))
const template = await migratedDatabase(server.url, migrations)
/** For each test and pattern: does it pass with every guard in place? */
const passing = new Map<string, boolean>()
let unnoticed = 0

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
  const pattern = await passingPattern(guard)
  if (pattern === undefined) return 'FAILS WITH THE GUARD IN PLACE'
  writeFileSync(file, parts.join(guard.put))
  const { passed, failed } = await run(guard, pattern)
  writeFileSync(file, whole)
  if (passed) return 'UNNOTICED'
  return failed.some((name) => guard.fails.test(name)) ? 'noticed' : 'another test failed'
}

/** The tests that must fail alone, or, where they build on others, the whole file. */
async function passingPattern(guard: Guard): Promise<string | undefined> {
  for (const pattern of new Set([guard.fails.source, '.'])) {
    const name = `${guard.test} ${pattern}`
    if (!passing.has(name)) {
      const { passed, failed, output } = await run(guard, pattern)
      if (!passed && pattern === '.') console.log(output.slice(-3_000))
      passing.set(name, passed && failed.length === 0)
    }
    if (passing.get(name)) return pattern
  }
  return undefined
}

/** `failed` holds the names of the tests that failed: none for a file that does not load. */
async function run({ test, file }: Guard, pattern: string) {
  const changed = file.includes('migrations/')
  const child = spawn(
    process.execPath,
    ['--test', '--test-reporter=tap', `--test-name-pattern=${pattern}`, test],
    {
      cwd: copy,
      env: {
        ...process.env,
        [TEMPLATE_VARIABLE]: changed ? await migratedDatabase(server.url, migrations) : template,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  )
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
