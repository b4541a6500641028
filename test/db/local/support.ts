import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { Client } from 'pg'
import { processesIn } from '../../../src/db/local/leftovers.ts'
import { startLocalServer, type LocalOptions } from '../../../src/db/local/start.ts'
import { silentLog } from '../../../src/lib/log.ts'

export const isRoot = process.getuid?.() === 0

/** A folder that goes, with every server still working in it, when the file's tests are over. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mlango-local-'))
  // As root the server is another user, who must be able to enter; the closed folder has its own test.
  chmodSync(folder, 0o755)
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

export function start(dataDir: string, more: Partial<LocalOptions> = {}) {
  return startLocalServer({ dataDir, connections: 20, log: silentLog, ...more })
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
export async function allGone(dataDir: string, patienceMs = 10_000): Promise<boolean> {
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
