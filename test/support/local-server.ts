import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLocalServer } from '../../src/db/local/start.ts'
import { silentLog } from '../../src/lib/log.ts'

export type TestServer = {
  /** The same after `resume`. */
  url: string
  pid(): number
  /** `fast` ends politely, `kill` is a crash of the whole server. It stays away until `resume`. */
  halt(how: 'fast' | 'kill'): Promise<void>
  /** Starts again with the same data. */
  resume(): Promise<void>
  /** Halts and removes the data. */
  stop(): Promise<void>
}

type Options = {
  /** Written to the disk with every commit, as in production. */
  durable?: boolean
  settings?: Record<string, string>
}

/** The server that the service brings along, in a folder of its own. */
export async function startTestServer(options: Options = {}): Promise<TestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mlango-server-'))
  // For root the server is another user, who must be able to enter.
  chmodSync(dataDir, 0o755)
  const removeData = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
  process.once('exit', removeData)
  const settings = {
    shared_buffers: '64MB',
    ...(options.durable ? {} : CARELESS),
    ...options.settings,
  }
  const start = () => startLocalServer({ dataDir, connections: 200, log: silentLog, settings })
  let server = await start()
  return {
    url: server.url,
    pid: () => server.pid(),
    async halt(how) {
      // Every process of it ends at once, without a checkpoint: what a crash leaves behind.
      if (how === 'kill') process.kill(server.pid(), 'SIGQUIT')
      await server.stop()
    },
    async resume() {
      server = await start()
    },
    async stop() {
      await server.stop()
      process.off('exit', removeData)
      removeData()
    },
  }
}

/** Data that nobody needs after a power cut. */
const CARELESS = { fsync: 'off', full_page_writes: 'off' }
