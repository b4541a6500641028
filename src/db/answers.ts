import type { Tx } from './db.ts'

/** Does the database answer at all? It asks for nothing that could be locked. */
export function answers(tx: Tx): Promise<boolean> {
  return tx.query('select 1').then(
    () => true,
    () => false,
  )
}
