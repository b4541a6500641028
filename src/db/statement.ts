import { createHash } from 'node:crypto'
import { Query, type Client, type Pool, type PoolClient, type QueryResult } from 'pg'
import type { Row } from './db.ts'
import { rethrow } from './trouble.ts'

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

/** `values` come from `statementValues`. */
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

/** Parameters as they are sent. Throws for a value that cannot be written as SQL. */
export function statementValues(params: unknown[]): unknown[] {
  return params.map((param) => (Array.isArray(param) ? (arrayLiteral(param) ?? param) : param))
}

/**
 * A list as PostgreSQL reads it: `{a,"b c",NULL}`. The driver's own way looks at every letter of
 * every element and was the largest maker of garbage in a billed call. Undefined for what it should
 * do itself, such as lists of lists.
 */
function arrayLiteral(values: readonly unknown[]): string | undefined {
  let list = ''
  // The rows of a batch often have the same in a column.
  let last: unknown
  let text: string | undefined
  for (const value of values) {
    if (text === undefined || value !== last) text = elementText(value)
    if (text === undefined) return undefined
    last = value
    list += list === '' ? text : `,${text}`
  }
  return `{${list}}`
}

/** Neither empty nor `null`, and without a letter that means something in a list. */
const PLAIN = /^(?!null$)[\w.:/+-]+$/i
const SPECIAL = /["\\]/g

/** Without control characters JSON's way to quote is the same, and five times as fast. */
const SAME_AS_JSON = /^[\x20-\ud7ff\ue000-\uffff]*$/

function quoted(value: string): string {
  return SAME_AS_JSON.test(value) ? JSON.stringify(value) : `"${value.replace(SPECIAL, '\\$&')}"`
}

function elementText(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return PLAIN.test(value) ? value : quoted(value)
    case 'bigint':
    case 'number':
    case 'boolean':
      return String(value)
    default:
      if (value === null || value === undefined) return 'NULL'
      if (value instanceof Date) return `"${value.toISOString()}"`
      if (Buffer.isBuffer(value)) return `"\\\\x${value.toString('hex')}"`
      return undefined
  }
}
