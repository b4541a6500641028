import { readFile } from 'node:fs/promises'
import { noteRead } from '../operators/audit-log.ts'
import { askProvider, resolveReview } from '../operators/payment-actions.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import { dayAfter, isDay, startOfDay } from '../lib/days.ts'
import type { Difference } from '../payments/compare-statement.ts'
import type { Payment, Payments } from '../payments/payments.ts'
import { reconcileStatement } from '../payments/statement.ts'
import { command, done, failed, FLAG, list, readLimit, TEXT, tableRow, verb } from './command.ts'

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

type Parts = { db: Db; config: Config; payments: Payments }

export const paymentsCommand = command<Parts>('payments', HELP, {
  list: verb(
    [],
    { status: TEXT, limit: TEXT, review: FLAG },
    async ({ db, payments }: Parts, { review, ...given }) => {
      const status = STATUSES.find((one) => one === given.status)
      const limit = readLimit(given.limit)
      if (status !== given.status || (status && review) || limit === undefined) return 'usage'
      const target = { type: 'payments', id: review ? 'review' : (status ?? 'all') }
      await noteRead(db, given.actor, { action: 'read.payments', target })
      const found = review ? payments.listToReview(limit) : payments.listByStatus(status, limit)
      return list((await found).map(line))
    },
  ),
  reviewed: verb(['id'], { note: TEXT }, async ({ db }: Parts, given) => {
    const { id, note, actor, operator = '' } = given
    if (operator.trim() === '' || operator.length > 200 || (note ?? '').length > 1_000)
      return 'usage'
    const resolved = await resolveReview(db, actor, { id, resolution: undefined, note })
    return resolved
      ? done('The payment has been marked as reviewed.')
      : failed('There is no such payment to review.')
  }),
  check: verb(['id'], {}, async (parts: Parts, { id, actor, reason }) => {
    const payment = await askProvider(parts, actor, { id, reason })
    return payment ? done(line(payment)) : failed('There is no payment with this id.')
  }),
  reconcile: verb(['file'], { from: TEXT, to: TEXT }, async ({ db, config }: Parts, given) => {
    const { file, from = '', to = '' } = given
    if (!isDay(from) || !isDay(to)) return 'usage'
    const zone = config.ACTIVITY_TIME_ZONE
    const compared = await reconcileStatement(db, {
      csv: await readFile(file, 'utf8'),
      from: startOfDay(from, zone),
      to: startOfDay(dayAfter(to), zone),
    })
    return (compared.differences.length === 0 ? done : failed)(
      ...compared.differences.map(differenceLine),
      `${compared.matched} of ${compared.rows} rows agree. The statement has TZS ` +
        `${compared.statementTzs}, we have TZS ${compared.ownTzs}.`,
    )
  }),
})

function differenceLine(one: Difference): string {
  return tableRow(
    one.kind,
    one.reference,
    one.line === undefined ? '' : `line=${one.line}`,
    one.statementTzs === undefined ? '' : `statement=TZS ${one.statementTzs}`,
    one.ownTzs === undefined ? '' : `own=TZS ${one.ownTzs}`,
    one.paymentId === undefined ? '' : `payment=${one.paymentId}`,
  )
}

function line(payment: Payment): string {
  return tableRow(
    payment.id,
    payment.createdAt.toISOString(),
    payment.status,
    `TZS ${payment.amountTzs}`,
    `account=${payment.accountId}`,
    payment.provider,
    `reference=${payment.reference}`,
    `provider_reference=${payment.providerRef ?? '-'}`,
    `checks=${payment.checks}`,
    payment.errorCode && `error=${payment.errorCode}`,
    ...(payment.review ? reviewColumns(payment) : []),
  )
}

function reviewColumns({ review, reviewSaid, reviewAt, reviewedBy }: Payment): string[] {
  return [
    reviewedBy === undefined ? `REVIEW=${review}` : `reviewed=${review}`,
    `said=${JSON.stringify(reviewSaid ?? '')}`,
    `at=${reviewAt?.toISOString() ?? '-'}`,
    reviewedBy === undefined ? '' : `by=${JSON.stringify(reviewedBy)}`,
  ]
}
