import type { Config } from '../config.ts'
import type { Log } from '../lib/log.ts'
import type { Db } from './db.ts'

/** A server when DATABASE_URL is set, else the embedded engine in DATA_DIR. */
export async function openDatabase(
  config: Pick<Config, 'DATABASE_URL' | 'DATABASE_POOL' | 'DATA_DIR'>,
  log: Log,
): Promise<Db> {
  // Imported on demand: a process pays only for the engine it uses.
  if (config.DATABASE_URL !== undefined) {
    const { openServer } = await import('./server.ts')
    return openServer({ url: config.DATABASE_URL, poolSize: config.DATABASE_POOL, log })
  }
  const { openEmbedded } = await import('./embedded.ts')
  return openEmbedded({ folder: config.DATA_DIR, log })
}
