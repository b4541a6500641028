import type { Row, Tx } from '../db/db.ts'
import type { OwnPayment } from './compare-statement.ts'
import type { PaymentStatus } from './payment-state.ts'

/** What was completed in this time, and whatever else the statement names. */
export async function paymentsForStatement(
  tx: Tx,
  wanted: { references: string[]; from: Date; to: Date },
): Promise<OwnPayment[]> {
  const rows = await tx.read(
    `select id, reference, provider_ref, status, amount_tzs,
       coalesce(completed_at >= $2 and completed_at < $3, false) as in_period
     from payments
     where id in (select id from payments where reference = any($1::text[])
       union select id from payments where provider_ref = any($1::text[])
       union select id from payments where completed_at >= $2 and completed_at < $3)
     order by id`,
    [wanted.references, wanted.from, wanted.to],
  )
  return rows.map(ownFrom)
}

function ownFrom(row: Row): OwnPayment {
  return {
    id: row.id as string,
    reference: row.reference as string,
    providerRef: (row.provider_ref as string | null) ?? undefined,
    status: row.status as PaymentStatus,
    amountTzs: Number(row.amount_tzs),
    inPeriod: row.in_period as boolean,
  }
}
