import { Client } from 'pg'
import type { StatementQuery } from '../src/ledger/statement.ts'
import { balanceOf, statement } from '../src/ledger/statement.ts'
import type { Db } from '../src/db/db.ts'
import { migrate } from '../src/db/migrate.ts'
import { openDatabase } from '../src/db/database.ts'
import { silentLog } from '../src/lib/log.ts'
import { startTestServer } from '../test/support/local-server.ts'
import { median, timed } from './statistics.ts'

const FEW = { accountId: '01900000-0000-7000-8000-000000000001', rows: 1_000 }
const MANY = { accountId: '01900000-0000-7000-8000-000000000002', rows: 1_000_000 }
const ROUNDS = 400

/** The ledger's reads stay flat: 1,000 entries against 1,000,000 on one account, on PostgreSQL. */
export const lists = {
  name: 'lists',
  async run() {
    const server = await startTestServer()
    const db = openDatabase({ url: server.url, poolSize: 2, log: silentLog })
    try {
      await migrate(db, silentLog)
      await seed(server.url)
      const rows = []
      for (const read of READS) rows.push(...(await compare(db, read)))
      return rows
    } finally {
      await db.close()
      await server.stop()
    }
  },
}

type Read = { name: string; flat: boolean; run(db: Db, account: typeof FEW): Promise<unknown> }

const page = (more: (rows: number) => Partial<StatementQuery>): Read['run'] => {
  const whole = { type: undefined, from: undefined, to: undefined, limit: 50, offset: 0 }
  return (db, { accountId, rows }) => statement(db, { ...whole, accountId, ...more(rows) })
}

const READS: Read[] = [
  { name: 'balance', flat: true, run: (db, { accountId }) => balanceOf(db, accountId) },
  { name: 'page 1 and its total', flat: true, run: page(() => ({})) },
  { name: 'the last page', flat: true, run: page((rows) => ({ offset: rows - 50 })) },
  // Their totals count the entries that are no charges: 5,000 of the million.
  { name: 'page 1 of the charges', flat: false, run: page(() => ({ type: 'usage' })) },
  { name: 'page 1 of the top-ups', flat: false, run: page(() => ({ type: 'topup' })) },
  { name: 'page 1 of a stretch of time', flat: true, run: page(() => stretch) },
]

const stretch = { from: new Date('2026-01-01T00:00:00.2Z'), to: new Date('2026-01-01T00:00:00.9Z') }

async function compare(db: Db, read: Read) {
  const took = { few: [] as number[], many: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    took.few.push(await timed(() => read.run(db, FEW)))
    took.many.push(await timed(() => read.run(db, MANY)))
  }
  const [few, many] = [median(took.few), median(took.many)]
  const of = `${read.name}, 1,000 entries`
  // Half as fast is twice the cost.
  const ratio = { of, value: few / many, ...(read.flat ? { atLeast: 0.5 } : {}) }
  return [
    { what: of, value: few, unit: 'ms' },
    { what: `${read.name}, 1,000,000 entries`, value: many, unit: 'ms', ratio },
  ]
}

/** As the ledger would have written them, one a millisecond; every 200th entry is a top-up. */
async function seed(url: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const account of [FEW, MANY]) await fill(client, account)
    await client.query('vacuum analyze ledger_entries')
    await client.query('vacuum analyze ledger_accounts')
  } finally {
    await client.end()
  }
}

async function fill(client: Client, { accountId, rows }: typeof FEW): Promise<void> {
  await client.query('insert into ledger_accounts (account_id) values ($1)', [accountId])
  await client.query(
    `insert into ledger_entries (id, account_id, type, amount_micro, balance_after_micro, key,
         description, reference_type, reference_id, created_at, ordinal)
       select gen_random_uuid(), $1::uuid, case when n % 200 = 1 then 'topup' else 'usage' end,
         case when n % 200 = 1 then 199 else -1 end, 199 - (n - 1) % 200,
         $1::uuid || ':' || n, 'Bench', 'call', n::text,
         timestamptz '2026-01-01 00:00:00Z' + n * interval '1 ms', n
       from generate_series(1, $2::int8) as n`,
    [accountId, rows],
  )
  await client.query(
    `update ledger_accounts set entries = $2::int8, balance_micro =
         (select sum(amount_micro) from ledger_entries where account_id = $1) where account_id = $1`,
    [accountId, rows],
  )
}
