import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { commandActor } from '../operators/actor.ts'
import { askProvider, resolveReview } from '../operators/payment-actions.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import { dayAfter, isDay, startOfDay } from '../lib/days.ts'
import type { Difference } from '../payments/compare-statement.ts'
import type { Payment, Payments } from '../payments/payments.ts'
import { reconcileStatement } from '../payments/statement.ts'
import type { Print } from './print.ts'

const HELP = `payments list [--status pending|completed|failed|expired] [--limit 50]
                      list payments, oldest first; REVIEW marks those that need a person
payments list --review [--limit 50]
                      list only those, with what the provider said: a completed payment
                      may have been reversed. Nothing is taken from the customer by itself
payments reviewed <id> --operator <name> [--note <text>]
                      the payment has been dealt with: it leaves that list
payments check <id> [--reason <text>] [--operator <name>]
                      ask the provider for the state now, and apply it
payments reconcile <file.csv> --from <day> --to <day>
                      compare the provider's statement of these days with our payments`

const STATUSES = ['pending', 'completed', 'failed', 'expired'] as const

/** `npm run mlango -- payments …`. */
export const paymentsCommand = {
  name: 'payments',
  help: HELP,
  async run(
    args: string[],
    parts: { db: Db; config: Config; payments: Payments; print: Print },
  ): Promise<number> {
    const { db, payments, print } = parts
    const [verb, ...rest] = args
    if (verb === 'list') return list(payments, rest, print)
    if (verb === 'reviewed') return reviewed(db, rest, print)
    if (verb === 'reconcile') return reconcile(parts, rest)
    if (verb === 'check') return check(parts, rest)
    print(HELP)
    return 2
  },
}

async function list(payments: Payments, args: string[], print: Print): Promise<number> {
  const text = { type: 'string' } as const
  const options = { status: text, limit: text, review: { type: 'boolean' } } as const
  const { status: statusText, limit = '50', review } = parseArgs({ args, options }).values
  const status = STATUSES.find((one) => one === statusText)
  const unclear = statusText !== undefined && (status === undefined || review)
  if (unclear || !/^[1-9]\d{0,3}$/.test(limit)) {
    print(HELP)
    return 2
  }
  const most = Number(limit)
  const found = await (review ? payments.listToReview(most) : payments.listByStatus(status, most))
  for (const payment of found) print(line(payment))
  print(`${found.length} shown.`)
  return 0
}

async function reviewed(db: Db, [id = '', ...args]: string[], print: Print): Promise<number> {
  const options = { operator: { type: 'string' }, note: { type: 'string' } } as const
  const { operator = '', note } = parseArgs({ args, options }).values
  if (operator.trim() === '' || operator.length > 200 || (note ?? '').length > 1_000) {
    print(HELP)
    return 2
  }
  const wanted = { id, resolution: undefined, note }
  const done = await resolveReview(db, commandActor(operator), wanted)
  print(done ? 'The payment has been marked as reviewed.' : 'There is no such payment to review.')
  return done ? 0 : 1
}

async function check(
  parts: { db: Db; payments: Payments; print: Print },
  [id = '', ...args]: string[],
): Promise<number> {
  const { print } = parts
  const options = { reason: { type: 'string' }, operator: { type: 'string' } } as const
  const { reason, operator } = parseArgs({ args, options }).values
  const payment = await askProvider(parts, commandActor(operator), { id, reason })
  print(payment ? line(payment) : 'There is no payment with this id.')
  return payment ? 0 : 1
}

async function reconcile(
  { db, config, print }: { db: Db; config: Config; print: Print },
  args: string[],
): Promise<number> {
  const text = { type: 'string' } as const
  const options = { from: text, to: text }
  const { positionals, values } = parseArgs({ args, options, allowPositionals: true })
  const [file] = positionals
  const { from = '', to = '' } = values
  if (file === undefined || !isDay(from) || !isDay(to)) {
    print(HELP)
    return 2
  }
  const zone = config.ACTIVITY_TIME_ZONE
  const compared = await reconcileStatement(db, {
    csv: await readFile(file, 'utf8'),
    from: startOfDay(from, zone),
    to: startOfDay(dayAfter(to), zone),
  })
  for (const one of compared.differences) print(differenceLine(one))
  print(
    `${compared.matched} of ${compared.rows} rows agree. The statement has TZS ` +
      `${compared.statementTzs}, we have TZS ${compared.ownTzs}.`,
  )
  return compared.differences.length === 0 ? 0 : 1
}

function differenceLine(one: Difference): string {
  const columns = [
    one.kind,
    one.reference,
    ...(one.line === undefined ? [] : [`line=${one.line}`]),
    ...(one.statementTzs === undefined ? [] : [`statement=TZS ${one.statementTzs}`]),
    ...(one.ownTzs === undefined ? [] : [`own=TZS ${one.ownTzs}`]),
    ...(one.paymentId === undefined ? [] : [`payment=${one.paymentId}`]),
  ]
  return columns.join('  ')
}

function line(payment: Payment): string {
  const columns = [
    payment.id,
    payment.createdAt.toISOString(),
    payment.status,
    `TZS ${payment.amountTzs}`,
    `account=${payment.accountId}`,
    payment.provider,
    `reference=${payment.reference}`,
    `provider_reference=${payment.providerRef ?? '-'}`,
    `checks=${payment.checks}`,
    ...(payment.errorCode ? [`error=${payment.errorCode}`] : []),
    ...(payment.review ? reviewColumns(payment) : []),
  ]
  return columns.join('  ')
}

function reviewColumns({ review, reviewSaid, reviewAt, reviewedBy }: Payment): string[] {
  const mark = reviewedBy === undefined ? `REVIEW=${review}` : `reviewed=${review}`
  return [
    mark,
    `said=${JSON.stringify(reviewSaid ?? '')}`,
    `at=${reviewAt?.toISOString() ?? '-'}`,
    ...(reviewedBy === undefined ? [] : [`by=${JSON.stringify(reviewedBy)}`]),
  ]
}
