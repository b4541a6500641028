import type { Tx } from '../db/db.ts'
import { invalidField } from '../lib/failure.ts'
import { compareStatement, type Comparison } from './compare-statement.ts'
import { readStatement } from './statement-file.ts'
import { paymentsForStatement } from './statement-store.ts'

const MOST_ROWS = 50_000

/** Compares the provider's statement of the time from `from` to before `to` with our payments. */
export async function reconcileStatement(
  tx: Tx,
  statement: { csv: string; from: Date; to: Date },
): Promise<Comparison> {
  const { csv, from, to } = statement
  if (from >= to) throw invalidField('to', 'must be after from')
  if (to.getTime() - from.getTime() > LONGEST_MS) {
    throw invalidField('to', 'must be at most 93 days after from')
  }
  const rows = readStatement(csv)
  if (rows.length > MOST_ROWS) throw invalidField('csv', `must have at most ${MOST_ROWS} rows`)
  const references = rows.flatMap(({ reference, providerRef }) =>
    [reference, providerRef].filter((one) => one !== undefined),
  )
  return compareStatement(rows, await paymentsForStatement(tx, { references, from, to }))
}

const LONGEST_MS = 93 * 86_400_000
