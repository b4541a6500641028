import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPages } from './console/support/build-pages.ts'
import { cpuMsOf } from './runner/cpu.ts'
import { runFiles, type FileReport } from './runner/crew.ts'
import { offerDatabase } from './runner/database.ts'
import { needsServer, testFiles } from './runner/files.ts'
import { hasFailed, printFile, printSummary } from './runner/print.ts'
import { DATABASE_VARIABLE } from './support/databases.ts'

/**
 * `npm test`, or `npm test -- test/db test/ledger/money.test.ts`. With `--quick` only what needs no
 * server and no browser; with `--watch` again after every change. Other options go to Node.
 */
const OWN = ['--quick', '--watch']
const args = process.argv.slice(2)
const options = args.filter((arg) => arg.startsWith('--') && !OWN.includes(arg))
const paths = args.filter((arg) => !arg.startsWith('--'))
const files = testFiles(paths.length > 0 ? paths : ['test']).filter(
  (file) => !args.includes('--quick') || !needsServer(file),
)
if (files.length === 0) {
  console.error(`No test files in ${paths.join(', ')}.`)
  process.exit(1)
}

// Once: else every service that a test starts in a folder of its own builds them for itself.
if (files.some((file) => needsServer(file))) await buildPages()
const database = await offerDatabase()
const env = {
  // Children of tests compile the service anew without the cache.
  NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
  ...process.env,
  [DATABASE_VARIABLE]: database.url,
}
const code = args.includes('--watch') ? await watch() : await runAll()
await database.close()
process.exit(code)

async function runAll(): Promise<number> {
  const reports: FileReport[] = []
  const startedMs = performance.now()
  const onFile = (report: FileReport) => {
    reports.push(report)
    printFile(report)
  }
  // Many files wait more than they work: five at a time keep two cores busy.
  await runFiles({ files, workers: 5, options, env, onFile, silenceMs: 600_000 })
  printSummary(reports, performance.now() - startedMs, cpuMsOf(process.pid))
  return reports.some(hasFailed) ? 1 : 0
}

async function watch(): Promise<number> {
  const child = spawn(process.execPath, ['--test', '--watch', ...options, ...files], {
    cwd: join(import.meta.dirname, '..'),
    stdio: 'inherit',
    env,
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const [code] = await once(child, 'exit')
  return code ?? 1
}
