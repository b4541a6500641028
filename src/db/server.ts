import { createHash } from 'node:crypto'
import { Client, Pool, types, type ClientConfig, type PoolClient } from 'pg'
import type { Log } from '../lib/log.ts'
import { arrayLiteral } from './array-literal.ts'
import type { Db, OpenTx, Row } from './db.ts'
import {
  assertOpen,
  assertOutside,
  ended,
  insideOf,
  laterTx,
  type Scope,
} from './transaction-scope.ts'
import { startListener } from './listener.ts'
import { asFailure, isLost } from './trouble.ts'

export type ServerOptions = {
  url: string
  poolSize: number
  log: Log
  /** How long an answer may take, beyond the server's own limits; shorter in tests only. */
  patienceMs?: number
}

/** A PostgreSQL server, through a pool. Connections are made when needed, so it opens without one. */
export function openServer(options: ServerOptions): Db {
  const { poolSize, log } = options
  const pool = new Pool({ ...connection(options), max: poolSize, idleTimeoutMillis: 30_000 })
  pool.on('error', (error) => log.warn('An idle database connection broke.', { error }))
  const listener = startListener({ connect: () => new Client(connection(options)), log })
  const db: Db = {
    engine: 'server',
    async query<R extends Row>(sql: string, params: unknown[] = []) {
      assertOutside(db)
      return ask<R>(pool, sql, listed(params))
    },
    async script(sql) {
      assertOutside(db)
      await pool.query(asScript(sql)).catch(rethrow)
    },
    begin: (work) => insideOf(db, (scope) => transaction(pool, scope, work)),
    listen: (channel, hear) => listener.add(channel, hear),
    async close() {
      await listener.stop()
      await pool.end()
    },
  }
  return db
}

/** Time-outs on purpose: a slow or locked statement ends as 503, never as a pile of waiters. */
function connection({ url, patienceMs = 20_000 }: ServerOptions): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: 2_000,
    statement_timeout: 5_000,
    lock_timeout: 2_000,
    idle_in_transaction_session_timeout: 10_000,
    // Longer than the server's own limits: it is for a network that swallows answers.
    query_timeout: patienceMs,
    keepAlive: true,
    application_name: 'mlango',
    // Statements that are asked together travel together and are answered in their order.
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

async function transaction<T>(
  pool: Pool,
  scope: Scope,
  work: (tx: OpenTx) => Promise<T>,
): Promise<T> {
  const client = await pool.connect().catch(rethrow)
  // A client in use reports its broken connection both to the query and as an event.
  const ignore = () => {}
  client.on('error', ignore)
  let broken = false
  const run: Run = {
    client,
    begun: undefined,
    corked: false,
    later: [],
    trouble: undefined,
    over: false,
  }
  try {
    cork(run)
    run.begun = client.query('begin')
    const result = await ended(scope, work(serverTx(run, scope)))
    await run.begun
    // It may travel behind statements that are still under way: when one of them fails, the server
    // answers ROLLBACK.
    cork(run)
    const [closed] = await Promise.all([client.query('commit'), ...run.later])
    // Also when work swallowed an error.
    if (closed.command !== 'COMMIT') throw new Error('A failed transaction cannot be committed.')
    return result
  } catch (error) {
    run.over = true
    // A connection that does not answer would not answer a rollback either: it is thrown away.
    broken = isLost(error)
    if (!broken) await client.query('rollback').catch(() => (broken = true))
    // After the first trouble the rest of what travelled together fails only because of it.
    throw asFailure(codeOf(error) === IN_FAILED_TRANSACTION ? run.trouble : error)
  } finally {
    client.off('error', ignore)
    client.release(broken)
  }
}

type Run = {
  client: PoolClient
  begun: Promise<unknown> | undefined
  corked: boolean
  later: Promise<unknown>[]
  trouble: unknown
  /** It failed: what still waits for its turn would run outside. */
  over: boolean
}

/** What is asked within one turn leaves in one write: every write wakes the server. */
function cork(run: Run): void {
  if (run.corked) return
  run.corked = true
  const { stream } = (run.client as unknown as Client).connection
  stream.cork()
  process.nextTick(() => {
    run.corked = false
    stream.uncork()
  })
}

const IN_FAILED_TRANSACTION = '25P02'

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code
}

/**
 * BEGIN travels together with first statements that only read; anything else waits until the
 * transaction is known to stand. The order is always that of the calls.
 */
function serverTx(run: Run, scope: Scope): OpenTx {
  let waits = false
  // Whoever waits for it is told.
  run.begun?.catch(() => {})
  const inOrder = async <T>(mayTravel: boolean, send: () => Promise<T>): Promise<T> => {
    assertOpen(scope)
    waits ||= !mayTravel
    try {
      if (waits) await run.begun
      if (run.over) throw new Error('The transaction has failed.')
      cork(run)
      const answer = await send()
      await run.begun
      return answer
    } catch (error) {
      run.trouble ??= error
      throw error
    }
  }
  const query = <R extends Row>(sql: string, params: unknown[] = []) => {
    // Before anything travels: what cannot be said to the server must not be left out of a commit.
    const values = listed(params)
    return inOrder(READS.test(sql), () => ask<R>(run.client, sql, values))
  }
  const script = (sql: string) =>
    inOrder(false, async () => void (await run.client.query(asScript(sql)).catch(rethrow)))
  return { query, script, later: laterTx({ query, script }, scope, run.later) }
}

const READS = /^\s*select\b/i

/** A migration may take its time. */
function asScript(text: string): { text: string; query_timeout: number } {
  return { text, query_timeout: 600_000 }
}

function listed(params: unknown[]): unknown[] {
  return params.map((one) => (Array.isArray(one) ? (arrayLiteral(one) ?? one) : one))
}

async function ask<R extends Row>(on: Pool | PoolClient, text: string, values: unknown[]) {
  const name = statementName(text)
  const result = await on
    .query<R>(name === undefined ? { text, values } : { name, text, values })
    .catch(rethrow)
  return result.rows
}

const names = new Map<string, string>()
const MOST_NAMES = 1_000

/** A name lets the server keep the plan. The name is a hash, so equal names mean equal text. */
function statementName(sql: string): string | undefined {
  const known = names.get(sql)
  if (known !== undefined || names.size >= MOST_NAMES) return known
  const name = `m_${createHash('sha256').update(sql).digest('base64url').slice(0, 22)}`
  names.set(sql, name)
  return name
}

function rethrow(error: unknown): never {
  throw asFailure(error)
}
