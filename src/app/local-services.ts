import type { Config } from '../config.ts'
import { connectionsFor } from '../db/local/settings.ts'
import { startLocalServer, type LocalOptions } from '../db/local/start.ts'
import type { Log } from '../lib/log.ts'
import { loadMasterKey } from './master-key.ts'
import type { LocalDatabase } from './prepare-database.ts'
import { startSimulators, type SimulatorAddresses } from './simulators.ts'

/** Where the service finds what it brings along: a supervisor passes this on to its workers. */
export type LocalAddresses = {
  /** Without DATABASE_URL. */
  database?: LocalDatabase | undefined
  simulators: SimulatorAddresses
}

export type LocalServices = {
  addresses: LocalAddresses
  /** What is not where one would look for it: sentences for the first screen. */
  notes: string[]
  stop(): Promise<void>
}

/** Starts what is not configured: the database server, and the simulated providers. */
export async function startLocalServices(config: Config, log: Log): Promise<LocalServices> {
  const server =
    config.DATABASE_URL === undefined
      ? await startLocalServer(localOptions(config, log))
      : undefined
  try {
    // After the server, which as root makes DATA_DIR passable for its user; and before any worker,
    // so that all of them find the same key.
    const masterKey = await loadMasterKey(config)
    const simulators = await startSimulators(config, masterKey, { resumePayments: true })
    return {
      addresses: {
        database: server && { url: server.url, serviceUrl: server.serviceUrl },
        simulators: simulators.addresses,
      },
      notes: server?.notes ?? [],
      async stop() {
        await simulators.close()
        await server?.stop()
      },
    }
  } catch (error) {
    await server?.stop()
    throw error
  }
}

export function localOptions(config: Config, log: Log): LocalOptions {
  return {
    dataDir: config.DATA_DIR,
    connections: connectionsFor(config.DATABASE_POOL, config.WORKERS),
    binDir: config.POSTGRES_BIN_DIR,
    log,
  }
}
