import { AsyncLocalStorage } from 'node:async_hooks'
import { Client, Pool, types, type ClientConfig, type PoolClient } from 'pg'
import type { Log } from '../lib/log.ts'
import {
  runScript,
  runStatement,
  runTransaction,
  takeClient,
  type TransactionScope,
} from './connection.ts'
import type { Db, Row } from './db.ts'
import { openTurns } from './in-turn.ts'
import { startListener } from './listener.ts'
import { withSession } from './session.ts'

export type DatabaseOptions = {
  url: string
  /** For LISTEN, where `url` leads through a pooler that shares its connections. */
  listenUrl?: string | undefined
  poolSize: number
  log: Log
  /** How long an answer may take: longer than the server's own limits, shorter in tests only. */
  patienceMs?: number
  /** How long to wait for a connection: longer in tests only, on machines that are busy. */
  connectMs?: number
}

/** A PostgreSQL server, through a pool. Connections are made when needed, so it opens without one. */
export function openDatabase(options: DatabaseOptions): Db {
  const { poolSize, log, patienceMs = 20_000 } = options
  const pool = new Pool({ ...connection(options), max: poolSize, idleTimeoutMillis: 30_000 })
  let closing = false
  // A connection in use reports that it broke to its statement, and as an event.
  pool.on('connect', (client) => client.on('error', ignore))
  pool.on('error', (error) => {
    // `pool.end` does not wait until its connections are closed: the server may be quicker.
    if (!closing) log.warn('An idle database connection broke.', { error })
  })
  const straight = { ...options, url: options.listenUrl ?? options.url }
  const listener = startListener({
    connect: () => new Client(connection(straight)),
    patienceMs,
    log,
  })
  const query = async <R extends Row>(sql: string, params: unknown[] = []) => {
    assertOutside(db)
    return withClient(pool, (client) => runStatement<R>(client, sql, params, patienceMs))
  }
  const db: Db = {
    query,
    read: query,
    async script(sql) {
      assertOutside(db)
      await withClient(pool, (client) => runScript(client, sql))
    },
    begin: (work, how) =>
      inScope(db, (scope) => runTransaction(pool, { scope, how, patienceMs }, work)),
    assertOutside: () => assertOutside(db),
    inTurn: openTurns(Math.max(1, Math.floor(poolSize / 2))),
    listen: (channel, onNotify) => listener.add(channel, onNotify),
    connections: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    async close() {
      closing = true
      await listener.stop()
      await pool.end()
    },
  }
  return db
}

function ignore(): void {}

/** Runs `work` on a connection of the pool, and gives it back; after an error it is closed. */
async function withClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await takeClient(pool)
  let failed = true
  try {
    const result = await work(client)
    failed = false
    return result
  } finally {
    client.release(failed)
  }
}

const scopes = new AsyncLocalStorage<TransactionScope>()

/**
 * Inside a transaction the outer handle would take a second connection, on which it does not see
 * what the first has done and may wait for its locks: an error at once.
 */
function assertOutside(db: Db): void {
  const scope = scopes.getStore()
  if (scope?.open && scope.db === db) {
    throw new Error('The outer database handle was used inside a transaction: use its tx.')
  }
}

/** Runs `work` as the inside of one transaction; the scope closes when it settles. */
async function inScope<T>(db: Db, work: (scope: TransactionScope) => Promise<T>): Promise<T> {
  assertOutside(db)
  const scope: TransactionScope = { db, open: true }
  try {
    return await scopes.run(scope, () => work(scope))
  } finally {
    scope.open = false
  }
}

function connection({ url, connectMs = 2_000 }: DatabaseOptions): ClientConfig {
  return {
    connectionString: withSession(url),
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    application_name: 'mlango',
    // Statements that are sent together travel together and are answered in their order.
    pipeline: true,
    types: { getTypeParser },
  }
}

const INT8_ARRAY: number = 1016
const ownParsers: Record<number, (text: string) => unknown> = {
  [types.builtins.INT8]: (text) => BigInt(text),
  [types.builtins.DATE]: (text) => text,
  [INT8_ARRAY]: (text) =>
    (types.getTypeParser(INT8_ARRAY)(text) as (string | null)[]).map((item) =>
      item === null ? null : BigInt(item),
    ),
}

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return ownParsers[oid] ?? types.getTypeParser(oid, format)
}
