import type { Loose } from '../../support/loose.ts'
import { microOf, type ExportedMonth, type Tables } from './exports.ts'

type Line = Record<string, string>
type Evidence = {
  months: ExportedMonth[]
  tables: Tables
  overview: Loose
  /** The run of the service's own audit. */
  audit: Loose
}

/**
 * The files for an accountant, their sums, the tables, the overview and the audit: a sentence for
 * each figure in which two of them differ, to the microcredit and the shilling.
 */
export function differences({ months, tables, overview, audit }: Evidence): string[] {
  const found: string[] = []
  const same = (figure: string, ...claims: [where: string, value: bigint][]) => {
    if (claims.every(([, value]) => value === claims[0]![1])) return
    found.push(`${figure}: ${claims.map(([where, value]) => `${where} ${value}`).join(', ')}`)
  }
  const ledger = months.flatMap((one) => one.ledger)
  const payments = months.flatMap((one) => one.payments)
  compareMonths(months, same)
  compareMoves(ledger, { months, tables, overview }, same)
  compareBalances(ledger, { months, tables, overview }, same)
  compareReceived(payments, { months, tables, overview }, same)
  compareTopUps(ledger, payments, same)
  const rows = BigInt(ledger.length)
  same('entries', ['files', rows], ['table', tables.entries], ['audit', BigInt(audit.entries)])
  same('findings', ['audit', BigInt(audit.finding_count)], ['none', 0n])
  return found
}

type Same = (figure: string, ...claims: [where: string, value: bigint][]) => void

/** Each month by itself: its file, its sums, and that it begins as the one before has ended. */
function compareMonths(months: ExportedMonth[], same: Same): void {
  let carried = 0n
  for (const { month, ledger, payments, sums } of months) {
    const moved = total(ledger, (line) => microOf(line.amount_credits!))
    const { opening_credits: opening, closing_credits: closing, movements } = sums.ledger
    same(`opening of ${month}`, ['sums', micro(opening)], ['carried', carried])
    same(`closing of ${month}`, ['sums', micro(closing)], ['files', carried + moved])
    carried = micro(closing)
    for (const type of namesOf(ledger, movements)) {
      const ofType = ledger.filter((line) => line.type === type)
      const summed = movements.find((one: Loose) => one.type === type)
      const name = `${type} of ${month}`
      const amount = total(ofType, (line) => microOf(line.amount_credits!))
      same(name, ['file', amount], ['sums', micro(summed?.amount_credits ?? 0)])
      same(
        `entries of ${name}`,
        ['file', BigInt(ofType.length)],
        ['sums', BigInt(summed?.entries ?? 0)],
      )
    }
    const tzs = total(payments, (line) => BigInt(line.amount_tzs!))
    const credits = total(payments, (line) => microOf(line.credits!))
    same(`received in ${month}`, ['file', tzs], ['sums', BigInt(sums.payments.received_tzs)])
    same(`credits received in ${month}`, ['file', credits], ['sums', micro(sums.payments.credits)])
    const count = BigInt(payments.length)
    same(`payments of ${month}`, ['file', count], ['sums', BigInt(sums.payments.count)])
  }
}

type Rest = Pick<Evidence, 'months' | 'tables' | 'overview'>

/** Credits sold, given, used, refunded and corrected. */
function compareMoves(ledger: Line[], { tables, overview }: Rest, same: Same): void {
  const ofType = Map.groupBy(ledger, (line) => line.type!)
  for (const type of new Set([...ofType.keys(), ...tables.moved.keys()])) {
    const file = total(ofType.get(type) ?? [], (line) => microOf(line.amount_credits!))
    const shown = type === 'usage' ? -overview.used_credits : overview.credits[type]
    const table = tables.moved.get(type) ?? 0n
    same(type, ['files', file], ['table', table], ['overview', micro(shown)])
  }
  const refunds = total(ofType.get('refund') ?? [], (line) => microOf(line.amount_credits!))
  same('refunded', ['files', refunds], ['overview', micro(overview.refunded_credits)])
}

/** What customers have: by the last line of each, by their balances, and by what we say we owe. */
function compareBalances(ledger: Line[], { months, tables, overview }: Rest, same: Same): void {
  const last = new Map<string, bigint>()
  for (const line of ledger.toSorted((a, b) => Number(a.number) - Number(b.number))) {
    const before = last.get(line.account_id!) ?? 0n
    const after = microOf(line.balance_after_credits!)
    const expected = before + microOf(line.amount_credits!)
    same(`balance after entry ${line.number}`, ['file', after], ['carried on', expected])
    last.set(line.account_id!, after)
  }
  for (const [account, balance] of tables.balances) {
    same(`balance of ${account}`, ['files', last.get(account) ?? 0n], ['table', balance])
  }
  same(
    'owed to customers',
    ['files', sum(last.values())],
    ['sums', micro(months.at(-1)!.sums.ledger.closing_credits)],
    ['table', sum(tables.balances.values())],
    ['overview', micro(overview.owed.balance_credits)],
  )
}

/** Money in: by network and by what needs a person, by network, by day, and all of it. */
function compareReceived(payments: Line[], { tables, overview }: Rest, same: Same): void {
  const tzs = (lines: Line[] = []) => total(lines, (line) => BigInt(line.amount_tzs!))
  const networkOf = (line: Line) => line.network || 'unknown'
  const byState = Map.groupBy(
    payments,
    (line) => `${networkOf(line)}, ${line.review || 'nothing to review'}`,
  )
  for (const name of new Set([...byState.keys(), ...tables.received.keys()])) {
    const table = tables.received.get(name) ?? 0n
    same(`received, ${name}`, ['files', tzs(byState.get(name))], ['table', table])
  }
  for (const [what, ofFiles, shown] of [
    ['by', Map.groupBy(payments, networkOf), byName(overview.by_network, 'network')],
    ['on', Map.groupBy(payments, (line) => line.time!.slice(0, 10)), byName(overview.days, 'day')],
  ] as const) {
    for (const name of new Set([...ofFiles.keys(), ...shown.keys()])) {
      const told = BigInt(shown.get(name)?.received_tzs ?? 0)
      same(`received ${what} ${name}`, ['files', tzs(ofFiles.get(name))], ['overview', told])
    }
  }
  const { received_tzs: received, payments: count, paid_in: paidIn } = overview
  same(
    'received',
    ['files', tzs(payments)],
    ['table', sum(tables.received.values())],
    ['overview', BigInt(received)],
    ['paid in', BigInt(paidIn.received_tzs)],
  )
  same(
    'payments',
    ['files', BigInt(payments.length)],
    ['table', tables.payments],
    ['overview', BigInt(count)],
    ['paid in', BigInt(paidIn.payments)],
  )
  const credits = total(payments, (line) => microOf(line.credits!))
  same('credits paid in', ['files', credits], ['overview', micro(paidIn.credits)])
}

/** Each payment has brought its credits, and nothing else has. */
function compareTopUps(ledger: Line[], payments: Line[], same: Same): void {
  const amounts = (lines: Line[], id: string, amount: string) =>
    new Map(lines.map((line) => [line[id]!, microOf(line[amount]!)]))
  const added = ledger.filter((line) => line.type === 'topup')
  const credited = amounts(added, 'reference_id', 'amount_credits')
  const paid = amounts(payments, 'payment_id', 'credits')
  for (const id of new Set([...credited.keys(), ...paid.keys()])) {
    const [inLedger, inPayments] = [credited.get(id) ?? 0n, paid.get(id) ?? 0n]
    same(`credits of payment ${id}`, ['ledger file', inLedger], ['payments file', inPayments])
  }
}

function namesOf(lines: Line[], movements: Loose[]): Set<string> {
  return new Set([...lines.map((line) => line.type!), ...movements.map((one) => one.type)])
}

function byName(rows: Loose[], name: string): Map<string, Loose> {
  return new Map(rows.map((row) => [row[name], row]))
}

function total(lines: Line[], amount: (line: Line) => bigint): bigint {
  return sum(lines.map(amount))
}

function sum(amounts: Iterable<bigint>): bigint {
  let all = 0n
  for (const one of amounts) all += one
  return all
}

/** A JSON number of credits. */
function micro(amount: number): bigint {
  return BigInt(Math.round((amount ?? 0) * 1e6))
}
