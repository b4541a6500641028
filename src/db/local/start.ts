import { accessSync, constants } from 'node:fs'
import { Client } from 'pg'
import type { Log } from '../../lib/log.ts'
import { findBinaries, type Binaries } from './binaries.ts'
import { assertNothingUnfinished, hasData } from './check-data.ts'
import { lockFolder, type Held } from './folder-lock.ts'
import { ownData, openHome, writing, type Home } from './home.ts'
import { initialise } from './initialise.ts'
import { keepRunning } from './keep-running.ts'
import { serverSettings, SERVICE_USER, urlsFor } from './settings.ts'
import { dropSocketFolder, makeSocketFolder } from './socket-folder.ts'
import { DatabaseError } from './database-error.ts'

export type LocalOptions = {
  /** DATA_DIR */
  dataDir: string
  /** From `connectionsFor(DATABASE_POOL, WORKERS)`. */
  connections: number
  log: Log
  /** POSTGRES_BIN_DIR */
  binDir?: string | undefined
  /** The package's folder, where copies of it may go, other settings: in tests only. */
  native?: string | undefined
  copyPlaces?: string[] | undefined
  settings?: Record<string, string> | undefined
}

export type LocalServer = {
  /** As the owner of everything: for migrations and backups. */
  url: string
  /** In the role of the service, which may read and write rows and no more. */
  serviceUrl: string
  /** The data; `master.key` and the rest lie beside it. */
  folder: string
  pid(): number
  /** What is not where one would look for it: sentences for the first screen. */
  notes: string[]
  /** A fast shutdown: open transactions are rolled back, everything is written down. */
  stop(): Promise<void>
}

/** The PostgreSQL server that the service brings along: started, looked after, and stopped. */
export async function startLocalServer(options: LocalOptions): Promise<LocalServer> {
  const home = openHome(options.dataDir)
  const lock = await writing(home.folder, () => lockFolder(home.folder, 'service'))
  return startLocked(options, home, lock)
}

/** With the folder's lock in hand, which goes back when the server stops or does not start. */
export async function startLocked(
  options: LocalOptions,
  home: Home,
  lock: Held,
): Promise<LocalServer> {
  try {
    const binaries = await writing(home.folder, () =>
      findBinaries({ ...options, home: home.folder, as: home.as }),
    )
    await prepareData(home, binaries)
    const socketFolder = makeSocketFolder(home)
    const sharedMemory = hasSharedMemory()
    const { major } = binaries
    const { connections } = options
    const settings = serverSettings({ major, connections, socketFolder, sharedMemory })
    const server = await keepRunning({
      home,
      binaries,
      settings: { ...settings, ...options.settings },
      socketFolder,
      log: options.log,
    })
    const urls = urlsFor(socketFolder)
    await makeServiceRole(urls.url).catch(async (error: unknown) => {
      await server.stop()
      throw error
    })
    const stop = async () => {
      await server.stop()
      dropSocketFolder(socketFolder)
      lock.release()
    }
    let stopped: Promise<void> | undefined
    return {
      ...urls,
      folder: home.data,
      pid: server.pid,
      notes: notes(home, binaries, socketFolder),
      stop: () => (stopped ??= stop()),
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Also in data that were made before there was one. What it may do is granted with the tables. */
async function makeServiceRole(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_roles where rolname = $1', [
      SERVICE_USER,
    ])
    if (rowCount === 0) await client.query(`create role ${SERVICE_USER} login`)
  } finally {
    await client.end()
  }
}

async function prepareData(home: Home, binaries: Binaries): Promise<void> {
  if (!home.reachable && binaries.major < 16) throw new DatabaseError(unreachable(home))
  assertNothingUnfinished(home)
  if (hasData(home.data, binaries.major)) ownData(home)
  else await initialise(home, binaries)
}

function hasSharedMemory(): boolean {
  try {
    accessSync('/dev/shm', constants.W_OK)
    return true
  } catch {
    return false
  }
}

function notes(home: Home, binaries: Binaries, socketFolder: string): string[] {
  const found: string[] = []
  if (home.as.uid !== undefined)
    found.push(`PostgreSQL runs as user id ${home.as.uid}, not as root.`)
  if (binaries.copiedTo !== undefined) {
    found.push(`Its programs were copied to ${binaries.copiedTo}, where that user can reach them.`)
  }
  if (!socketFolder.startsWith(home.folder)) found.push(`Its socket is in ${socketFolder}.`)
  return found
}

function unreachable({ folder, as }: Home): string {
  return `PostgreSQL 15 runs as user id ${as.uid}, which cannot enter ${folder}. Choose a DATA_DIR that every user may enter, or a PostgreSQL of version 16 or later.`
}
