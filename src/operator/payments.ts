import { parseArgs } from 'node:util'
import type { Payment, Payments } from '../payments/payments.ts'

const HELP = `payments list [--status pending|completed|failed|expired] [--limit 50]
                      payments, the oldest first, with what a person should look at
payments check <id>   ask the provider now and apply what it says`

const STATUSES = ['pending', 'completed', 'failed', 'expired'] as const

/** `npm run mlango -- payments …`. */
export const paymentsCommand = {
  name: 'payments',
  help: HELP,
  async run(args: string[], { payments }: { payments: Payments }): Promise<number> {
    const [verb, ...rest] = args
    if (verb === 'list') return list(payments, rest)
    if (verb === 'check') return check(payments, rest[0] ?? '')
    process.stdout.write(`${HELP}\n`)
    return 2
  },
}

async function list(payments: Payments, args: string[]): Promise<number> {
  const options = { status: { type: 'string' }, limit: { type: 'string' } } as const
  const { status: asked, limit = '50' } = parseArgs({ args, options }).values
  const status = STATUSES.find((one) => one === asked)
  if ((asked !== undefined && status === undefined) || !/^[1-9]\d{0,3}$/.test(limit)) {
    process.stdout.write(`${HELP}\n`)
    return 2
  }
  const found = await payments.listByStatus(status, Number(limit))
  for (const payment of found) process.stdout.write(`${line(payment)}\n`)
  process.stdout.write(`${found.length} shown.\n`)
  return 0
}

async function check(payments: Payments, id: string): Promise<number> {
  const payment = await payments.check(id)
  process.stdout.write(payment ? `${line(payment)}\n` : 'There is no payment with this id.\n')
  return payment ? 0 : 1
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
    `theirs=${payment.providerRef ?? '-'}`,
    `looks=${payment.checks}`,
    ...(payment.errorCode ? [`error=${payment.errorCode}`] : []),
    ...(payment.review ? [`REVIEW=${payment.review}`] : []),
  ]
  return columns.join('  ')
}
