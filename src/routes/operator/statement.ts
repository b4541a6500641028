import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import type { Comparison } from '../../payments/compare-statement.ts'
import { reconcileStatement } from '../../payments/statement.ts'
import { momentField } from '../fields.ts'
import { reading } from './shared.ts'

const comparisonShape = z.object({
  rows: z.int(),
  matched: z.int(),
  statement_tzs: z.int(),
  own_tzs: z.int(),
  difference_count: z.int(),
  differences: z.array(
    z.object({
      kind: z.enum(['unknown_here', 'not_credited', 'amount_differs', 'missing_there', 'repeated']),
      reference: z.string(),
      payment_id: z.uuid().optional(),
      line: z.int().optional(),
      statement_tzs: z.int().optional(),
      own_tzs: z.int().optional(),
    }),
  ),
})

/** Compares and changes nothing: what differs is put right payment by payment. */
export function statementRoute({ db }: { db: Db }): Route {
  return route({
    ...reading('support'),
    method: 'POST',
    path: '/v1/operator/payments/statement',
    summary:
      "Compare the payment provider's statement of some days, as CSV, with our payments, and list " +
      'the differences',
    body: z.object({
      csv: z.string().min(1).max(4_000_000),
      from: momentField,
      to: momentField,
    }),
    response: comparisonShape,
    async handle({ body }) {
      return { data: showComparison(await reconcileStatement(db, body)) }
    },
  })
}

const MOST_SHOWN = 1_000

function showComparison(compared: Comparison): z.infer<typeof comparisonShape> {
  return {
    rows: compared.rows,
    matched: compared.matched,
    statement_tzs: compared.statementTzs,
    own_tzs: compared.ownTzs,
    difference_count: compared.differences.length,
    differences: compared.differences.slice(0, MOST_SHOWN).map((one) => ({
      kind: one.kind,
      reference: one.reference,
      payment_id: one.paymentId,
      line: one.line,
      statement_tzs: one.statementTzs,
      own_tzs: one.ownTzs,
    })),
  }
}
