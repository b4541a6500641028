import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { findBinaries, runAs } from './binaries.ts'

export type Postgres = {
  url: string
  version: string
  origin: 'system' | 'package'
  pid(): number
  /** `fast` ends politely, `kill` is a crash of the whole server. */
  halt(how: 'fast' | 'kill'): Promise<void>
  /** Starts again on the same port with the same data. */
  resume(): Promise<void>
  /** Halts and removes the data. */
  stop(): Promise<void>
  /** Lets the process end without waiting for the server, which then ends with it. */
  unref(): void
}

/** A real PostgreSQL server of its own. `durable` keeps fsync on, as a real one would. */
export async function startPostgres(options: { durable?: boolean } = {}): Promise<Postgres> {
  const as = runAs()
  const { folder: bin, origin } = findBinaries(as)
  const home = mkdtempSync(join(tmpdir(), 'mlango-pg-'))
  if (as.uid !== undefined && as.gid !== undefined) chownSync(home, as.uid, as.gid)
  const data = join(home, 'data')
  initialise(join(bin, 'initdb'), data, { ...as, cwd: home })
  const port = await freePort()
  const url = `postgresql://postgres@127.0.0.1:${port}/postgres`
  const launch = () => launchServer(join(bin, 'postgres'), { data, port, home, as, ...options })
  let child = launch()
  const cleanUp = () => {
    child.kill('SIGKILL')
    rmSync(home, { recursive: true, force: true })
  }
  process.once('exit', cleanUp)

  const halt = async (how: 'fast' | 'kill') => {
    const gone = exited(child)
    // SIGQUIT ends every backend at once without a checkpoint: what a crash leaves behind.
    child.kill(how === 'fast' ? 'SIGINT' : 'SIGQUIT')
    await gone
  }
  const version = await answers(url, child)
  return {
    url,
    version,
    origin,
    pid: () => child.pid!,
    halt,
    async resume() {
      child = launch()
      await answers(url, child)
    },
    unref: () => child.unref(),
    async stop() {
      await halt('fast')
      process.off('exit', cleanUp)
      rmSync(home, { recursive: true, force: true })
    },
  }
}

type SpawnAs = { uid?: number; gid?: number; cwd: string }

function initialise(initdb: string, data: string, as: SpawnAs): void {
  const args = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N']
  const made = spawnSync(initdb, args, { ...as, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error?.message}`)
}

type Launch = { data: string; port: number; home: string; durable?: boolean; as: object }

function launchServer(postgres: string, { data, port, home, durable, as }: Launch): ChildProcess {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: home,
    max_connections: 200,
    shared_buffers: '64MB',
    log_min_messages: 'fatal',
    ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
  }
  const args = ['-D', data, ...Object.entries(settings).flatMap(([k, v]) => ['-c', `${k}=${v}`])]
  // Where the system can, the server ends with us even when we are killed.
  const guarded = existsSync('/usr/bin/setpriv')
  const command = guarded ? '/usr/bin/setpriv' : postgres
  const all = guarded ? ['--pdeathsig', 'QUIT', postgres, ...args] : args
  return spawn(command, all, { ...as, cwd: home, stdio: 'ignore' })
}

async function answers(url: string, child: ChildProcess): Promise<string> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if (child.exitCode !== null) throw new Error('PostgreSQL ended at its start.')
    const version = await askVersion(url)
    if (version !== undefined) return version
    await sleep(50)
  }
  throw new Error('PostgreSQL did not answer.')
}

async function askVersion(url: string): Promise<string | undefined> {
  const client = new Client({ connectionString: url })
  try {
    await client.connect()
    const { rows } = await client.query<{ server_version: string }>('show server_version')
    return rows[0]!.server_version
  } catch {
    return undefined
  } finally {
    await client.end().catch(() => {})
  }
}

function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((done) => child.once('exit', () => done()))
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}
