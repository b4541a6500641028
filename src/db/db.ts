/** A row as the driver gives it: int8 → bigint, numeric → string, timestamptz → Date, jsonb parsed. */
export type Row = Record<string, unknown>

/**
 * Runs statements. Store functions take a Tx, so that any of them can join a larger transaction.
 * Parameters: bigint, number, string, boolean, Date, Buffer, null, and arrays of these; JSON goes in
 * as text (`JSON.stringify`) with a cast in the SQL.
 */
export interface Tx {
  query<R extends Row>(sql: string, params?: unknown[]): Promise<R[]>
  /**
   * For a statement that changes nothing, though it may lock what it reads (`for update`): run
   * outside a transaction it would do no harm, so at the start of one it need not wait until BEGIN
   * is answered. That saves a journey to the server. What has effects (a write, `pg_notify`) goes
   * through `query`.
   */
  read<R extends Row>(sql: string, params?: unknown[]): Promise<R[]>
  /** Several statements without parameters, as in a migration file. */
  script(sql: string): Promise<void>
}

/** The inside of a transaction. */
export interface OpenTx extends Tx {
  /**
   * For statements whose rows nobody needs: each is sent at once, answers with no rows, and is
   * waited for at the end together with COMMIT, which travels behind them. If one fails, the whole
   * transaction does. Nothing can be read through it.
   */
  readonly later: Tx
}

/**
 * `durable`, the default: on disk before it is answered. `visible`: everybody sees it at once, and the
 * next durable commit writes it to disk, or the server by itself within a second. Until then a crash
 * of the server undoes it, whole and in order: what came later is undone with it.
 */
export type CommitMode = 'durable' | 'visible'

/** `patient`: durable, and each statement may take ten minutes; for what reads all there is. */
export type TxMode = CommitMode | 'patient'

/** Can begin a transaction. As a Tx it runs single statements, each in its own transaction. */
export interface Db extends Tx {
  /** Commits what `work` did, or rolls it all back when it throws. Never await the network inside. */
  begin<T>(work: (tx: OpenTx) => Promise<T>, how?: TxMode): Promise<T>
  /** Throws inside a transaction of this handle, where only its `tx` may be used. */
  assertOutside(): void
  /**
   * Runs a large read on behalf of an account when it is its turn: an account has one at a time, all
   * accounts together half of the connections.
   */
  inTurn<T>(accountId: string, work: () => Promise<T>): Promise<T>
  /**
   * Calls `onNotify` for each NOTIFY on the channel, from this or any other process. After a lost
   * connection it is called once with an empty payload: anything may have changed meanwhile.
   */
  listen(channel: string, onNotify: (payload: string) => void): Promise<void>
  /** Of the pool: connections, those of them that do nothing, and queries that wait for one. */
  connections(): { open: number; idle: number; waiting: number }
  close(): Promise<void>
}
