import { AsyncLocalStorage } from 'node:async_hooks'
import type { Db, Row, Tx } from './db.ts'

/**
 * Inside a transaction the outer handle would wait for the transaction it is called from: for ever
 * on the embedded engine, for a free connection on a server. Both become an error at once.
 */
export function assertOutside(db: Db): void {
  const scope = scopes.getStore()
  if (scope?.open && scope.db === db) {
    throw new Error('The outer database handle was used inside a transaction: use its tx.')
  }
}

export type Scope = { db: Db; open: boolean }

/** Runs `work` as the inside of one transaction; the scope closes when it settles. */
export async function insideOf<T>(db: Db, work: (scope: Scope) => Promise<T>): Promise<T> {
  assertOutside(db)
  const scope: Scope = { db, open: true }
  try {
    return await scopes.run(scope, () => work(scope))
  } finally {
    scope.open = false
  }
}

/** Closes the scope before COMMIT or ROLLBACK: what `work` left running cannot slip in behind. */
export function ended<T>(scope: Scope, work: Promise<T>): Promise<T> {
  return work.finally(() => (scope.open = false))
}

export function assertOpen(scope: Scope): void {
  if (!scope.open) throw new Error('A transaction was used after its end.')
}

/** The same transaction for statements that are waited for at its end: they gather in `waiting`. */
export function laterTx(tx: Tx, scope: Scope, waiting: Promise<unknown>[]): Tx {
  const send = (ask: () => Promise<unknown>) => {
    assertOpen(scope)
    const statement = ask()
    statement.catch(() => {})
    waiting.push(statement)
  }
  return {
    query: async <R extends Row>(sql: string, params?: unknown[]) => {
      send(() => tx.query(sql, params))
      return [] as R[]
    },
    script: async (sql) => send(() => tx.script(sql)),
  }
}

const scopes = new AsyncLocalStorage<Scope>()
