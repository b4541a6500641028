/** A row as both drivers give it: int8 → bigint, numeric → string, timestamptz → Date, jsonb parsed. */
export type Row = Record<string, unknown>

/** Can ask. Store functions take a Tx, so that any of them can join a larger transaction. */
export interface Tx {
  query<R extends Row>(sql: string, params?: unknown[]): Promise<R[]>
}

/** Can begin. As a Tx it runs single statements, each in its own transaction. */
export interface Db extends Tx {
  readonly engine: 'embedded' | 'server'
  /** Commits what `work` did, or rolls it all back when it throws. Never await the network inside. */
  begin<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Calls `hear` for each NOTIFY on the channel, from this or any other process. */
  listen(channel: string, hear: (payload: string) => void): Promise<void>
  close(): Promise<void>
}
