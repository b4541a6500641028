import type { PaymentStatus } from './payment-state.ts'
import type { StatementRow } from './statement-file.ts'

/** What of our payment is compared with a statement. */
export type OwnPayment = {
  id: string
  reference: string
  providerRef: string | undefined
  status: PaymentStatus
  amountTzs: number
  /** It was completed within the time of the statement. */
  inPeriod: boolean
}

export type Difference = {
  /**
   * `unknown_here`: paid there, and no payment of ours. `not_credited`: paid there, and not here.
   * `missing_there`: completed here in this time, and not paid there. `repeated`: twice there.
   */
  kind: 'unknown_here' | 'not_credited' | 'amount_differs' | 'missing_there' | 'repeated'
  reference: string
  paymentId?: string | undefined
  line?: number | undefined
  statementTzs?: number | undefined
  ownTzs?: number | undefined
}

export type Comparison = {
  rows: number
  /** Paid there, completed here, the same amount. */
  matched: number
  statementTzs: number
  ownTzs: number
  differences: Difference[]
}

/** Compares the provider's statement of some days with our payments. Pure. */
export function compareStatement(rows: StatementRow[], payments: OwnPayment[]): Comparison {
  const known = new Map<string, OwnPayment>()
  for (const one of payments) {
    if (one.providerRef !== undefined) known.set(one.providerRef, one)
    known.set(one.reference, one)
  }
  const find = ({ reference, providerRef }: StatementRow) =>
    known.get(reference ?? '') ?? known.get(providerRef ?? '')
  const paid = rows.filter((row) => row.paid)
  const seen = new Set<string>()
  const differences: Difference[] = []
  for (const row of paid) {
    const own = find(row)
    const difference = differenceOf(row, own, seen)
    if (difference) differences.push(difference)
    seen.add(own?.id ?? nameOf(row))
  }
  const here = payments.filter((one) => one.inPeriod)
  const missing = here.filter((one) => !seen.has(one.id))
  for (const { id, reference, amountTzs } of missing) {
    differences.push({ kind: 'missing_there', reference, paymentId: id, ownTzs: amountTzs })
  }
  return {
    rows: rows.length,
    matched: paid.length + missing.length - differences.length,
    statementTzs: sum(paid),
    ownTzs: sum(here),
    differences,
  }
}

function differenceOf(
  row: StatementRow,
  own: OwnPayment | undefined,
  seen: Set<string>,
): Difference | undefined {
  const { line, amountTzs: statementTzs } = row
  const about = { reference: nameOf(row), paymentId: own?.id, line, statementTzs }
  const ownTzs = own?.amountTzs
  if (seen.has(own?.id ?? nameOf(row))) return { kind: 'repeated', ...about, ownTzs }
  if (!own) return { kind: 'unknown_here', ...about }
  if (own.status !== 'completed') return { kind: 'not_credited', ...about, ownTzs }
  return ownTzs === statementTzs ? undefined : { kind: 'amount_differs', ...about, ownTzs }
}

function nameOf({ reference, providerRef, line }: StatementRow): string {
  return reference ?? providerRef ?? `line ${line}`
}

function sum(rows: { amountTzs: number }[]): number {
  return rows.reduce((total, { amountTzs }) => total + amountTzs, 0)
}
