import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'
import { applyCommands } from '../../../src/ledger/ledger-store.ts'
import { parseCredits } from '../../../src/ledger/money.ts'
import { openExport, sumMonth } from '../../../src/operators/accounting/exports.ts'
import { readMonth } from '../../../src/operators/accounting/month.ts'
import { readConfig } from '../../../src/config.ts'
import type { Db } from '../../../src/db/db.ts'
import type { App } from '../../../src/app/app.ts'
import { runCommand } from '../../../src/cli/commands.ts'
import { assertAudit } from '../../support/money/audit.ts'
import { parseCsv } from '../../support/money/csv.ts'
import { withDatabase } from '../../support/databases.ts'

const ZONE = 'Africa/Dar_es_Salaam'
const MONTHS = ['2026-09', '2026-10', '2026-11', '2026-12']
const period = (month: string) => readMonth(month, ZONE)!

/** Moments at both edges of months in Dar es Salaam, three hours before those of UTC. */
const MOMENTS = [
  '2026-08-31T21:00:00.000Z',
  '2026-09-30T20:59:59.999Z',
  '2026-09-30T21:00:00.000Z',
  '2026-10-31T20:59:59.999Z',
  '2026-10-31T21:00:00.000Z',
  '2026-11-30T20:59:59.999Z',
]

withDatabase('a month for the accountant', (open) => {
  let db: Db
  let folder: string
  before(async () => {
    db = await open()
    folder = await mkdtemp(join(tmpdir(), 'mlango-exports-'))
    for (const [nth, at] of MOMENTS.entries()) await trade(db, at, BigInt(nth + 1))
  })
  after(async () => {
    await rm(folder, { recursive: true })
    await assertAudit(db)
  })

  const csv = async (
    kind: 'ledger' | 'payments',
    month: string,
    showPhone = (it: string) => it,
  ) => {
    const pieces: string[] = []
    const options = { kind, period: period(month), showPhone }
    await openExport(db, options)(async (text) => void pieces.push(text))
    return { rows: parseCsv(pieces.join('')), pieces }
  }

  it('has the movements of each month, and the sums agree with the ledger', async () => {
    let carried = 0n
    let entries = 0
    for (const month of MONTHS) {
      const { rows } = await csv('ledger', month)
      const { ledger } = await sumMonth(db, period(month))
      const moved = sum(rows.map((row) => parseSigned(row.amount_credits!)))
      const [own] = await db.query<{ micro: bigint; count: bigint }>(
        `select coalesce(sum(amount_micro), 0)::int8 as micro, count(*) from ledger_entries
         where to_char(created_at at time zone $1, 'YYYY-MM') = $2`,
        [ZONE, month],
      )
      assert.equal(moved, own!.micro, month)
      assert.equal(BigInt(rows.length), own!.count, month)
      assert.equal(ledger.openingMicro, carried, month)
      assert.equal(ledger.openingMicro + moved, ledger.closingMicro, month)
      for (const { type, entries: count, amountMicro } of ledger.movements) {
        const ofType = rows.filter((row) => row.type === type)
        assert.equal(BigInt(ofType.length), count)
        assert.equal(sum(ofType.map((row) => parseSigned(row.amount_credits!))), amountMicro)
      }
      carried = ledger.closingMicro
      entries += rows.length
    }
    const [all] = await db.query<{ micro: bigint; count: bigint }>(
      `select sum(balance_micro)::int8 as micro,
         (select count(*) from ledger_entries) as count from ledger_accounts`,
    )
    assert.equal(carried, all!.micro)
    assert.equal(BigInt(entries), all!.count)
  })

  it('has the payments of each month, to the shilling, and their top-ups in the ledger', async () => {
    for (const month of MONTHS) {
      const { rows } = await csv('payments', month)
      const { received, ledger } = await sumMonth(db, period(month))
      assert.equal(rows.length, { '2026-12': 0 }[month] ?? 2, month)
      assert.equal(sum(rows.map((row) => BigInt(row.amount_tzs!))), received.amountTzs)
      const credits = sum(rows.map((row) => parseSigned(row.credits!)))
      assert.equal(credits, received.creditsMicro)
      const topUps = ledger.movements.find(({ type }) => type === 'topup')
      assert.equal(credits, topUps?.amountMicro ?? 0n, month)
    }
    const { rows } = await csv('payments', '2026-11', () => '+255 *** 678')
    assert.deepEqual(
      rows.map((row) => [row.phone_number, row.time]),
      [
        [`'+255 *** 678`, '2026-11-01T00:00:00.000+03:00'],
        [`'+255 *** 678`, '2026-11-30T23:59:59.999+03:00'],
      ],
    )
  })

  it('runs no formula, and leaves numbers as they are', async () => {
    const { rows } = await csv('ledger', '2026-09')
    const found = rows.filter((row) => row.type === 'adjustment')
    assert.ok(found.every((row) => row.description === `'=HYPERLINK("http://x", "y")`))
    assert.ok(found.every((row) => /^-\d/.test(row.amount_credits!)))
  })

  it('is read piece by piece', async () => {
    const { pieces, rows } = await csv('ledger', '2026-10')
    assert.ok(rows.length > 2_000)
    const numbers = rows.map((row) => Number(row.number))
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    )
    assert.ok(pieces.length >= 4)
    assert.ok(pieces.every((piece) => piece.split('\r\n').length <= 1_001))
  })

  it('ends its transaction when the reader is gone, and lets the next one in', async () => {
    const options = { kind: 'ledger', period: period('2026-10'), showPhone: String } as const
    const gone = openExport(db, options)(() => Promise.reject(new Error('The reader is gone.')))
    await assert.rejects(gone, /gone/)
    const { promise: held, resolve } = Promise.withResolvers<void>()
    const slow = [1, 2].map(() => openExport(db, options)(() => held))
    assert.throws(() => openExport(db, options), { kind: 'unavailable' })
    resolve()
    await Promise.all(slow)
    assert.equal((await csv('payments', '2026-10')).rows.length, 2)
  })

  it('is written by a command, with its sums, and noted in the log', async () => {
    const file = join(folder, 'ledger.csv')
    const mlango = async (...args: string[]) => {
      const lines: string[] = []
      const parts = { db, config: readConfig({}) } as unknown as App
      const code = await runCommand(['export', ...args], parts, (line) => lines.push(line))
      return { code, out: lines.join('\n') }
    }
    const wanted = ['ledger', '--month', '2026-10', '--out', file, '--operator', 'neema']
    const { code, out } = await mlango(...wanted)
    assert.equal(code, 0, out)
    const { ledger } = await sumMonth(db, period('2026-10'))
    assert.match(out, /^Credits of customers at the beginning: \d/m)
    assert.match(out, /^Received: TZS 9000 in 2 payments, for 9000 credits\.$/m)
    const rows = parseCsv(await readFile(file, 'utf8'))
    const moved = sum(rows.map((row) => parseSigned(row.amount_credits!)))
    assert.equal(moved, ledger.closingMicro - ledger.openingMicro)
    // A file that is there is not replaced unless asked for.
    assert.equal((await mlango(...wanted)).code, 1)
    assert.equal((await mlango(...wanted, '--force')).code, 0)
    for (const wrong of [['ledger'], ['all', '--month', '2026-10'], ['ledger', '--month', '26-1']])
      assert.equal((await mlango(...wrong, '--out', file)).code, 2)
    const acts = await db.query(
      `select operator, target_id from operator_actions where action = 'books.export'`,
    )
    assert.deepEqual(acts[0], { operator: 'neema', target_id: 'ledger 2026-10' })
    assert.equal(acts.length, 3)
  })
})

it('knows months, also the last of a year, and nothing else', () => {
  const december = readMonth('2026-12', ZONE)!
  assert.equal(december.from.toISOString(), '2026-11-30T21:00:00.000Z')
  assert.equal(december.to.toISOString(), '2026-12-31T21:00:00.000Z')
  for (const text of ['2026-13', '2026-00', '2026-1', '1926-01', '2026-11-01', '', '2026_11'])
    assert.equal(readMonth(text, ZONE), undefined, text)
})

function sum(amounts: bigint[]): bigint {
  return amounts.reduce((all, one) => all + one, 0n)
}

function parseSigned(text: string): bigint {
  return text.startsWith('-') ? -parseCredits(text.slice(1)) : parseCredits(text)
}

/** A payment, a correction and many charges, all at one moment. */
async function trade(db: Db, at: string, nth: bigint): Promise<void> {
  const accountId = randomUUID()
  const paymentId = randomUUID()
  const amountTzs = 1_000n + nth * 1_000n
  const creditsMicro = amountTzs * 1_000_000n
  await db.query(
    `insert into payments (id, account_id, provider, reference, status, amount_tzs, credits_micro,
       phone_number, payer_name, expires_at, completed_at)
     values ($1, $2, 'snippe', $3, 'completed', $4, $5, '+255712345678', '', $6, $6)`,
    [paymentId, accountId, paymentId, amountTzs, creditsMicro, at],
  )
  const known = await db.query<{ id: string }>('select id from ledger_entries')
  await db.begin(async (tx) => {
    const entry = (type: 'topup' | 'adjustment' | 'usage', key: string, description: string) => ({
      id: randomUUID(),
      type,
      key,
      description,
    })
    const holdId = randomUUID()
    const charges = Array.from({ length: 1_100 }, (_, i) => ({
      costMicro: BigInt(i + 1) * nth,
      entry: entry('usage', `usage:${holdId}:${i}`, 'a/model'),
    }))
    await applyCommands(tx, [
      {
        kind: 'grant',
        accountId,
        amountMicro: creditsMicro,
        entry: entry('topup', `topup:${paymentId}`, 'Mobile money top-up'),
      },
      {
        kind: 'adjust',
        accountId,
        amountMicro: -333_333n * nth,
        entry: entry('adjustment', `adjust:${holdId}`, '=HYPERLINK("http://x", "y")'),
      },
      {
        kind: 'hold',
        accountId,
        holdId,
        estimateMicro: 10_000_000n,
        minimumMicro: 10_000_000n,
        owner: { process: randomUUID() },
        about: {},
      },
      { kind: 'settle', accountId, holdId, charges },
    ])
    await tx.script('alter table ledger_entries disable trigger ledger_entries_stay')
    await tx.query('update ledger_entries set created_at = $1 where not (id = any($2))', [
      at,
      known.map(({ id }) => id),
    ])
    await tx.script('alter table ledger_entries enable trigger ledger_entries_stay')
  })
}
