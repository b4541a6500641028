import { as, bool, columns, count, oneOf, optional, text } from '../db/columns.ts'
import type { Tx } from '../db/db.ts'
import type { OwnPayment } from './compare-statement.ts'
import type { PaymentStatus } from './payment-state.ts'

/** What was completed in this time, and whatever else the statement names. */
export async function paymentsForStatement(
  tx: Tx,
  wanted: { references: string[]; from: Date; to: Date },
): Promise<OwnPayment[]> {
  const rows = await tx.read(
    `select ${OWN_PAYMENT.list} from payments
     where id in (select id from payments where reference = any($1::text[])
       union select id from payments where provider_ref = any($1::text[])
       union select id from payments where completed_at >= $2 and completed_at < $3)
     order by id`,
    [wanted.references, wanted.from, wanted.to],
  )
  return OWN_PAYMENT.all(rows)
}

const OWN_PAYMENT = columns<OwnPayment>({
  id: text,
  reference: text,
  providerRef: optional(text),
  status: oneOf<PaymentStatus>(),
  amountTzs: count,
  inPeriod: as('coalesce(completed_at >= $2 and completed_at < $3, false)', bool),
})
