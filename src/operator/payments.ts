import { parseArgs } from 'node:util'
import type { Payment, Payments } from '../payments/payments.ts'
import type { Print } from './print.ts'

const HELP = `payments list [--status pending|completed|failed|expired] [--limit 50]
                      list payments, oldest first; REVIEW marks those that need a person
payments check <id>   ask the provider for the state now, and apply it`

const STATUSES = ['pending', 'completed', 'failed', 'expired'] as const

/** `npm run mlango -- payments …`. */
export const paymentsCommand = {
  name: 'payments',
  help: HELP,
  async run(
    args: string[],
    { payments, print }: { payments: Payments; print: Print },
  ): Promise<number> {
    const [verb, ...rest] = args
    if (verb === 'list') return list(payments, rest, print)
    if (verb === 'check') return check(payments, rest[0] ?? '', print)
    print(HELP)
    return 2
  },
}

async function list(payments: Payments, args: string[], print: Print): Promise<number> {
  const options = { status: { type: 'string' }, limit: { type: 'string' } } as const
  const { status: statusText, limit = '50' } = parseArgs({ args, options }).values
  const status = STATUSES.find((one) => one === statusText)
  if ((statusText !== undefined && status === undefined) || !/^[1-9]\d{0,3}$/.test(limit)) {
    print(HELP)
    return 2
  }
  const found = await payments.listByStatus(status, Number(limit))
  for (const payment of found) print(line(payment))
  print(`${found.length} shown.`)
  return 0
}

async function check(payments: Payments, id: string, print: Print): Promise<number> {
  const payment = await payments.check(id)
  print(payment ? line(payment) : 'There is no payment with this id.')
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
    `provider_reference=${payment.providerRef ?? '-'}`,
    `checks=${payment.checks}`,
    ...(payment.errorCode ? [`error=${payment.errorCode}`] : []),
    ...(payment.review ? [`REVIEW=${payment.review}`] : []),
  ]
  return columns.join('  ')
}
