import { createHash } from 'node:crypto'
import { Query, type Client, type Pool, type PoolClient, type QueryResult } from 'pg'
import type { Db, OpenTx, Row, Tx, TxMode } from './db.ts'
import { databaseFailure, errorCodeOf, isLost, rethrow } from './failure.ts'

/* What runs on one connection of the pool: statements, alone or in a transaction. */

/** For what may take its time. */
const LONG_MS = 600_000

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

type TransactionOptions = {
  scope: TransactionScope
  how: TxMode | undefined
  /** How long an answer may take, unless the transaction is a patient one. */
  patienceMs: number
}

/** Runs `work` in a transaction on a connection of the pool, and gives the connection back. */
export async function runTransaction<T>(
  pool: Pool,
  options: TransactionOptions,
  work: (tx: OpenTx) => Promise<T>,
): Promise<T> {
  const client = await takeClient(pool)
  const transaction = new ServerTransaction(client, options)
  let reusable = true
  try {
    const result = await closeAfter(options.scope, work(transaction))
    await transaction.commit()
    return result
  } catch (error) {
    reusable = await transaction.rollBack(error)
    throw transaction.reasonFor(error)
  } finally {
    client.release(!reusable)
  }
}

const BEGIN: Record<TxMode, string> = {
  durable: 'begin',
  visible: 'begin; set local synchronous_commit = off',
  patient: `begin; set local statement_timeout = ${LONG_MS - 1_000}`,
}

/**
 * A transaction on one connection. Statements run in the order of the calls. BEGIN travels together
 * with the reads that come first; anything else waits until BEGIN has been answered, so that no
 * write can ever run outside the transaction.
 */
class ServerTransaction implements OpenTx {
  readonly later: Tx
  readonly #client: PoolClient
  readonly #scope: TransactionScope
  readonly #begun: Promise<unknown>
  readonly #patienceMs: number
  readonly #sentForLater: Promise<unknown>[] = []
  /** From the first statement on that must wait for BEGIN, the ones behind it wait too. */
  #waitForBegin = false
  #corked = false
  /** It failed: what still waits for its turn would run outside. */
  #failed = false
  #firstError: unknown

  constructor(client: PoolClient, { scope, how = 'durable', patienceMs }: TransactionOptions) {
    this.#client = client
    this.#scope = scope
    this.#patienceMs = how === 'patient' ? LONG_MS : patienceMs
    this.later = laterTx(this, scope, this.#sentForLater)
    this.#cork()
    this.#begun = this.#send(BEGIN[how])
    // Every statement and the commit wait for it, and report its error.
    this.#begun.catch(() => {})
  }

  query<R extends Row>(sql: string, params: unknown[] = []): Promise<R[]> {
    this.#waitForBegin = true
    return this.read<R>(sql, params)
  }

  read<R extends Row>(sql: string, params: unknown[] = []): Promise<R[]> {
    return this.#inOrder(() => runStatement<R>(this.#client, sql, params, this.#patienceMs))
  }

  script(sql: string): Promise<void> {
    this.#waitForBegin = true
    return this.#inOrder(() => runScript(this.#client, sql))
  }

  /** COMMIT may travel behind statements under way: when one fails, the server answers ROLLBACK. */
  async commit(): Promise<void> {
    await this.#begun
    this.#cork()
    const [closed] = await Promise.all([this.#send('commit'), ...this.#sentForLater])
    // Also when `work` swallowed an error.
    if (closed.command !== 'COMMIT') throw new Error('A failed transaction cannot be committed.')
  }

  /** False when the connection is lost. It would not answer a rollback either: throw it away. */
  async rollBack(error: unknown): Promise<boolean> {
    this.#failed = true
    if (isLost(error)) return false
    return this.#send('rollback').then(
      () => true,
      () => false,
    )
  }

  /** After the first error, whatever travelled with that statement fails only because of it. */
  reasonFor(error: unknown): unknown {
    return databaseFailure(errorCodeOf(error) === IN_FAILED_TRANSACTION ? this.#firstError : error)
  }

  #send(text: string): Promise<QueryResult> {
    return sendStatement(this.#client, { text }, this.#patienceMs)
  }

  async #inOrder<T>(send: () => Promise<T>): Promise<T> {
    assertOpen(this.#scope)
    try {
      if (this.#waitForBegin) await this.#begun
      if (this.#failed) throw new Error('The transaction has failed.')
      this.#cork()
      const answer = await send()
      await this.#begun
      return answer
    } catch (error) {
      this.#firstError ??= error
      throw error
    }
  }

  /** What is sent within one turn leaves in one write: every write wakes the server. */
  #cork(): void {
    if (this.#corked) return
    this.#corked = true
    const { stream } = this.#client.connection
    stream.cork()
    process.nextTick(() => {
      this.#corked = false
      stream.uncork()
    })
  }
}

const IN_FAILED_TRANSACTION = '25P02'

/** The span of one transaction: the handle it was begun on, and whether it may still be used. */
export type TransactionScope = { db: Db; open: boolean }

function assertOpen(scope: TransactionScope): void {
  if (!scope.open) throw new Error('A transaction was used after its end.')
}

/** Closes the scope before COMMIT or ROLLBACK: what `work` left running cannot slip in behind. */
function closeAfter<T>(scope: TransactionScope, work: Promise<T>): Promise<T> {
  return work.finally(() => (scope.open = false))
}

/** The same transaction for statements that are waited for at its end: they gather in `sent`. */
function laterTx(
  tx: Pick<Tx, 'query' | 'script'>,
  scope: TransactionScope,
  sent: Promise<unknown>[],
): Tx {
  const send = (run: () => Promise<unknown>) => {
    assertOpen(scope)
    const statement = run()
    statement.catch(() => {})
    sent.push(statement)
  }
  return {
    query: async <R extends Row>(sql: string, params?: unknown[]) => {
      send(() => tx.query(sql, params))
      return [] as R[]
    },
    read: () => Promise.reject(new Error('Nothing can be read for later.')),
    script: async (sql) => send(() => tx.script(sql)),
  }
}
