import type { Tx } from '../db/db.ts'
import { PAYMENT, type Payment } from './payments-store.ts'
import type { PaymentStatus } from './payment-state.ts'

export async function findById(tx: Tx, id: string): Promise<Payment | undefined> {
  const rows = await tx.read(`select ${PAYMENT.list} from payments where id = $1`, [id])
  return PAYMENT.first(rows)
}

export async function findByProviderRef(
  tx: Tx,
  provider: string,
  providerRef: string,
): Promise<Payment | undefined> {
  const rows = await tx.read(
    `select ${PAYMENT.list} from payments where provider = $1 and provider_ref = $2`,
    [provider, providerRef],
  )
  return PAYMENT.first(rows)
}

export async function findByReference(
  tx: Tx,
  provider: string,
  reference: string,
): Promise<Payment | undefined> {
  const rows = await tx.read(
    `select ${PAYMENT.list} from payments where provider = $1 and reference = $2`,
    [provider, reference],
  )
  return PAYMENT.first(rows)
}

export type PaymentsPage = {
  accountId: string
  status: PaymentStatus | undefined
  limit: number
  offset: number
}

export async function listPayments(tx: Tx, page: PaymentsPage): Promise<Payment[]> {
  const rows = await tx.read(
    `select ${PAYMENT.list} from payments
     where account_id = $1 and ($2::text is null or status = $2)
     order by id desc limit $3 offset $4`,
    [page.accountId, page.status ?? null, page.limit, page.offset],
  )
  return PAYMENT.all(rows)
}

/** One account's payments stay few, so they can be counted. */
export async function countPayments(tx: Tx, page: PaymentsPage): Promise<number> {
  const [row] = await tx.read<{ total: bigint }>(
    `select count(*) as total from payments
     where account_id = $1 and ($2::text is null or status = $2)`,
    [page.accountId, page.status ?? null],
  )
  return Number(row!.total)
}

/** For the operator: the oldest first, since those are the ones that are stuck. */
export async function listByStatus(
  tx: Tx,
  filter: { status: PaymentStatus | undefined; limit: number },
): Promise<Payment[]> {
  const rows = await tx.read(
    `select ${PAYMENT.list} from payments
     where $1::text is null or status = $1 order by id limit $2`,
    [filter.status ?? null, filter.limit],
  )
  return PAYMENT.all(rows)
}

/** Simulated top-ups ever completed. The condition on `provider_ref` is there for the index. */
export async function simulatedTopUps(tx: Tx): Promise<{ count: number; creditsMicro: bigint }> {
  const [row] = await tx.read<{ count: number; micro: bigint }>(
    `select count(*)::int as count, coalesce(sum(credits_micro), 0)::int8 as micro from payments
     where provider = 'simulator' and provider_ref is not null and status = 'completed'`,
  )
  return { count: row!.count, creditsMicro: row!.micro }
}
