import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '../../src/db/database.ts'
import { silentLog } from '../../src/lib/log.ts'
import { runChild } from '../../test/support/child.ts'
import { startTestServer } from '../../test/support/local-server.ts'
import { startReplica } from '../../test/support/replica.ts'
import { newCustomers } from '../chat/customers.ts'
import type { Gateway } from '../chat/gateways.ts'
import { MODELS } from './calls.ts'

const ACCOUNTS = 200

/** The service on a real PostgreSQL, with one upstream that speaks every dialect. */
export async function startService(): Promise<{ gateway: Gateway; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'mlango-bench-'))
  await chmod(folder, 0o711)
  const upstream = runChild('bench/children/canned-dialects.ts', [])
  const origin = `http://127.0.0.1:${await upstream.line()}`
  const postgres = await startTestServer({ durable: true })
  const service = await startReplica({
    UPSTREAMS_FILE: await upstreamsFile(folder, origin),
    PAYMENT_PROVIDER: 'simulator',
    ALLOW_SIMULATED_PAYMENTS: 'true',
    DATABASE_URL: postgres.url,
    DATA_DIR: folder,
    MASTER_KEY: 'a master key for benchmarks, long enough',
    RATE_LIMIT_RPM: '1000000',
    CONCURRENCY_PER_ACCOUNT: '100000',
  })
  const db = openDatabase({ url: postgres.url, poolSize: 2, log: silentLog })
  const keys = await newCustomers(db, ACCOUNTS).finally(() => db.close())
  const headers = keys.map((key) => `Authorization: Bearer ${key}\r\n`)
  const port = Number(new URL(service.url).port)
  return {
    gateway: { name: 'Mlango', port, pid: service.pid, headers },
    async close() {
      service.kill('SIGTERM')
      upstream.kill('SIGKILL')
      await service.ended
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function upstreamsFile(folder: string, origin: string): Promise<string> {
  const pricing = { prompt: '0.00000015', completion: '0.0000006' }
  const known = { pricing, context_length: 128_000, max_output_tokens: 16_000 }
  const models = Object.values(MODELS).map((id) => ({ id, ...known }))
  const entry = { name: 'canned', type: 'openrouter', base_url: `${origin}/v1`, sync: false }
  const file = join(folder, 'upstreams.json')
  await writeFile(file, JSON.stringify({ upstreams: [{ ...entry, models }] }))
  return file
}
