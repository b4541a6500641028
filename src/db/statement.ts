import { createHash } from 'node:crypto'
import { Query, type Client, type Pool, type PoolClient, type QueryResult } from 'pg'
import type { Row } from './db.ts'
import { rethrow } from './failure.ts'

/** For what may take its time. */
export const LONG_MS = 600_000

/** Runs `work` on a connection of the pool, and gives it back; after an error it is closed. */
export async function withClient<T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
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

export function takeClient(pool: Pool): Promise<PoolClient> {
  return pool.connect().catch(rethrow)
}

export async function runStatement<R extends Row>(
  client: PoolClient,
  text: string,
  values: unknown[],
  patienceMs: number,
): Promise<R[]> {
  const statement = { name: statementName(text), text, values }
  const result = await sendStatement<R>(client, statement, patienceMs).catch(rethrow)
  return result.rows
}

/** Several statements without parameters. They may take their time, as a migration does. */
export async function runScript(client: PoolClient, text: string): Promise<void> {
  await sendStatement(client, { text }, LONG_MS).catch(rethrow)
}

/**
 * Sends a statement. The server has limits of its own; `patienceMs` is for a network that loses
 * answers, and ends the connection, since whatever was sent behind the statement waits as well. The
 * driver can do that too, but sets a function on its query, which keeps all that belongs to the
 * statement until the next collection of old garbage.
 */
export function sendStatement<R extends Row>(
  client: Client,
  { name, text, values }: Statement,
  patienceMs: number,
): Promise<QueryResult<R>> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => client.connection.stream.destroy(noAnswer()), patienceMs)
    // From an object with all three the driver makes a copy, property by property.
    const query: Query<R> & { name?: string | undefined } = new Query(
      text,
      values,
      (error, result) => {
        clearTimeout(timer)
        if (error) reject(error)
        else resolve(result)
      },
    )
    query.name = name
    client.query(query)
  })
}

type Statement = { name?: string | undefined; text: string; values?: unknown[] }

function noAnswer(): Error {
  return Object.assign(new Error('The database did not answer in time.'), { code: 'ETIMEDOUT' })
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
