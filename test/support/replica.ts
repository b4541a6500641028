import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startModelSimulator, type SimulatorOptions } from '../../simulator/models/server.ts'

export type Replica = {
  url: string
  pid: number
  /** What it has written so far: the start message and log lines. */
  output: string[]
  kill(signal: NodeJS.Signals): void
  ended: Promise<number | null>
}

const ROOT = join(import.meta.dirname, '../..')
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: { start: string }
}
/** What `npm start` tells Node to run. */
export const START_ARGS = scripts.start.split(' ').slice(2)

/**
 * The service as it is started in production, in a process of its own. `onSpawn` gets its number
 * before it serves.
 */
export async function startReplica(
  env: Record<string, string>,
  onSpawn: (pid: number) => void = () => {},
): Promise<Replica> {
  const child = spawn(process.execPath, START_ARGS, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onSpawn(child.pid!)
  const stop = () => child.kill('SIGKILL')
  process.once('exit', stop)
  const ended = once(child, 'close').then(([code]) => {
    process.off('exit', stop)
    return code as number | null
  })
  const output: string[] = []
  const url = await Promise.race([addressOf(child, output), ended.then(() => undefined)])
  if (url === undefined) throw new Error(`the service did not start:\n${output.join('\n')}`)
  return { url, pid: child.pid!, output, kill: (signal) => void child.kill(signal), ended }
}

async function addressOf(child: ChildProcess, output: string[]): Promise<string | undefined> {
  createInterface({ input: child.stderr! }).on('line', (line) => output.push(line))
  return new Promise((found) => {
    createInterface({ input: child.stdout! })
      .on('line', (line) => {
        output.push(line)
        const address = /^ +API +(http:\/\/\S+)\/v1$/.exec(line)?.[1]
        if (address !== undefined) found(address)
      })
      .on('close', () => found(undefined))
  })
}

/** A simulator and a file that names it, for replicas on one database. */
export async function startShared(options: SimulatorOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'mlango-replicas-'))
  const models = await startModelSimulator({ faults: true, ...options })
  const file = join(folder, 'upstreams.json')
  const upstream = { name: 'sim', type: 'openrouter', base_url: models.url, api_key_env: 'SIM_KEY' }
  await writeFile(file, JSON.stringify({ upstreams: [{ ...upstream, sync: true }] }))
  return {
    models,
    folder,
    env: {
      UPSTREAMS_FILE: file,
      PAYMENT_PROVIDER: 'simulator',
      ALLOW_SIMULATED_PAYMENTS: 'true',
      SIM_KEY: models.apiKey,
      DATA_DIR: folder,
      MASTER_KEY: 'a master key for tests, long enough',
      AUTH_RATE_LIMIT_RPM: '100000',
      RATE_LIMIT_RPM: '1000000',
      RATE_LIMIT_JWT_RPM: '1000000',
      RATE_LIMIT_ACCOUNT_RPM: '1000000',
    },
    async close() {
      await models.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
