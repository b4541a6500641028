import { parseCredits } from '../../../src/ledger/money.ts'
import type { Db } from '../../../src/db/db.ts'
import { parseCsv } from '../../support/money/csv.ts'
import type { startApp } from '../../support/app.ts'
import type { Loose } from '../../support/loose.ts'

type App = Awaited<ReturnType<typeof startApp>>
type Line = Record<string, string>

/** What the accountant gets of a month. */
export type ExportedMonth = { month: string; ledger: Line[]; payments: Line[]; sums: Loose }

/** The same from the tables themselves. */
export type Tables = {
  /** In microcredits, by type of entry. */
  moved: Map<string, bigint>
  entries: bigint
  balances: Map<string, bigint>
  /** In shillings, by network and by what a person has to look at. */
  received: Map<string, bigint>
  payments: bigint
}

/** Over HTTP, month after month. */
export async function readExports(
  app: App,
  token: string,
  months: string[],
): Promise<ExportedMonth[]> {
  const read: ExportedMonth[] = []
  for (const month of months) {
    const { body } = await app.call(`GET /v1/operator/exports/sums?month=${month}`, { token })
    const ledger = await download(app, token, `ledger.csv?month=${month}`)
    const payments = await download(app, token, `payments.csv?month=${month}`)
    read.push({ month, ledger, payments, sums: body.data })
  }
  return read
}

async function download({ url }: App, token: string, path: string): Promise<Line[]> {
  const headers = { authorization: `Bearer ${token}` }
  const answer = await fetch(`${url}/v1/operator/exports/${path}`, { headers })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}: ${text}`)
  return parseCsv(text)
}

export async function readTables(db: Db): Promise<Tables> {
  const amounts = async (sql: string) => {
    const rows = await db.query<{ name: string; amount: bigint }>(sql)
    return new Map(rows.map(({ name, amount }) => [name, amount]))
  }
  const [counts] = await db.query<{ entries: bigint; payments: bigint }>(
    `select (select count(*) from ledger_entries) as entries,
       (select count(*) from payments where status = 'completed') as payments`,
  )
  return {
    ...counts!,
    moved: await amounts(
      'select type as name, sum(amount_micro)::int8 as amount from ledger_entries group by 1',
    ),
    balances: await amounts(
      'select account_id::text as name, balance_micro as amount from ledger_accounts',
    ),
    received: await amounts(
      `select coalesce(network, 'unknown') || ', ' || coalesce(review, 'nothing to review') as name,
         sum(amount_tzs)::int8 as amount
       from payments where status = 'completed' group by 1`,
    ),
  }
}

/** From the first of two days to the second. */
export function monthsBetween(from: string, to: string): string[] {
  const months: string[] = []
  const [last, at] = [to.slice(0, 7), new Date(`${from.slice(0, 7)}-01T00:00:00Z`)]
  for (; at.toISOString().slice(0, 7) <= last; at.setUTCMonth(at.getUTCMonth() + 1)) {
    months.push(at.toISOString().slice(0, 7))
  }
  return months
}

export function microOf(text: string): bigint {
  return text.startsWith('-') ? -parseCredits(text.slice(1)) : parseCredits(text)
}
