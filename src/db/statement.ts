import { createHash } from 'node:crypto'
import type { Pool, PoolClient, QueryConfig } from 'pg'
import type { Row } from './db.ts'
import { rethrow } from './trouble.ts'

/** For what may take its time. */
export const LONG_MS = 600_000

/** `values` come from `statementValues`. Without `patienceMs` it is that of the connection. */
export async function runStatement<R extends Row>(
  connection: Pool | PoolClient,
  text: string,
  values: unknown[],
  patienceMs?: number,
): Promise<R[]> {
  const name = statementName(text)
  const statement: QueryConfig & { query_timeout?: number } =
    name === undefined ? { text, values } : { name, text, values }
  if (patienceMs !== undefined) statement.query_timeout = patienceMs
  const result = await connection.query<R>(statement).catch(rethrow)
  return result.rows
}

/** Several statements without parameters. They may take their time, as a migration does. */
export async function runScript(connection: Pool | PoolClient, text: string): Promise<void> {
  const script: QueryConfig & { query_timeout: number } = { text, query_timeout: LONG_MS }
  await connection.query(script).catch(rethrow)
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
