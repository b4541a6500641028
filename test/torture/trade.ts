import { commandActor } from '../../src/operators/actor.ts'
import { setRate } from '../../src/operators/business/fx.ts'
import { applyCommands } from '../../src/ledger/ledger-store.ts'
import { dayAt } from '../../src/lib/days.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { openFastDatabase } from '../support/fast-database.ts'
import { startApp } from '../support/app.ts'
import { insertPerson } from '../support/people.ts'
import { runInParallel } from './load/in-parallel.ts'
import { seededRandom } from './load/random.ts'
import { openCalls } from './trade/calls.ts'
import { judge, type Verdict } from './trade/judge.ts'
import { adjustments, topUps } from './trade/money.ts'

type App = Awaited<ReturnType<typeof startApp>>

const ZONE = 'Africa/Dar_es_Salaam'
const DEFAULT_RATE = '2550.5'
const CALLERS = 64
/** So many of the calls go through the API, with the simulated models. */
const ONE_IN = 50

export type TradeReport = Verdict & { counts: Record<string, number> }

/**
 * A month of trade that ends today: calls, top-ups, refusals, reversals, corrections, refunds and
 * changing rates of the dollar, all through the product's own functions. Then overview, exports,
 * records and ledger are compared with each other, and the books are audited.
 */
export async function trade(options: {
  seed: number
  calls: number
  payments: number
  accounts: number
  days: number
  /** An empty database; without it one of the test run's server. */
  databaseUrl?: string | undefined
  say?: ((sentence: string) => void) | undefined
}): Promise<TradeReport> {
  const { days } = options
  const random = seededRandom(options.seed)
  const fast = await openFastDatabase(options.databaseUrl)
  await fast.pass(1 - days)
  const env = { TOPUP_REQUIRE_VERIFIED_PHONE: 'false', TZS_PER_USD: DEFAULT_RATE }
  const app = await startApp({ databaseUrl: fast.url, clock: fast.clock, env })
  try {
    const { db, dataDir } = app
    const startedMs = performance.now()
    const { key } = await app.customer('100000')
    const accounts = await customers(app, options.accounts)
    const calls = await openCalls({ db, clock: fast.clock, dataDir, timeZone: ZONE, random })
    const counts = new Map<string, number>()
    const count = (name: string, by = 1) => counts.set(name, (counts.get(name) ?? 0) + by)
    for (let day = 0; day < days; day++) {
      if (day > 0) await fast.pass(1)
      await calls.beat()
      const share = (all: number) =>
        Math.floor((all * (day + 1)) / days) - Math.floor((all * day) / days)
      if (day % 3 === 1) await changeRate(app, fast.clock.now(), random.between(1, 99))
      const paid = await topUps(app, accounts, { count: share(options.payments), random })
      for (const [name, by] of Object.entries(paid)) count(`payments ${name}`, by)
      const corrections = { count: share(Math.ceil(options.payments / 10)), random }
      count('adjustments', await adjustments(app, accounts, corrections))
      const todo = Array.from({ length: share(options.calls) }, (_, i) => i)
      await runInParallel(todo, CALLERS, async (i) => {
        const overApi = i % ONE_IN === 0
        count(overApi ? await chat(app, key) : await calls.call(random.pick(accounts)))
      })
      count('refunds', await calls.refund(share(Math.ceil(options.calls / 1_000))))
      options.say?.(`day ${day + 1} of ${days}: ${counts.get('paid')} calls paid`)
    }
    count('seconds', Math.round((performance.now() - startedMs) / 1_000))
    return {
      counts: Object.fromEntries(counts),
      ...(await judge(app, { zone: ZONE, tzsPerUsd: DEFAULT_RATE })),
    }
  } finally {
    await app.close()
    await fast.db.close()
  }
}

/** Every second one came with a bonus. The phone stays silent until the provider is told otherwise. */
async function customers({ db }: App, count: number): Promise<string[]> {
  const accounts: string[] = []
  for (let i = 0; i < count; i++) {
    const accountId = await insertPerson(db, { email: `trade-${i}@example.tz` })
    await db.query(`update accounts set phone_number = '+255711230015' where id = $1`, [accountId])
    const entry = { id: uuidv7(), key: `signup:${accountId}`, description: 'Welcome' }
    const bonus = { ...entry, type: 'signup_bonus' as const }
    const grant = { kind: 'grant' as const, accountId, amountMicro: 100_000_000n, entry: bonus }
    if (i % 2 === 0) await db.begin((tx) => applyCommands(tx, [grant]))
    accounts.push(accountId)
  }
  return accounts
}

async function changeRate({ db }: App, now: Date, hundredths: number): Promise<void> {
  const today = dayAt(now, ZONE)
  const tzsPerUsd = `25${String(hundredths).padStart(2, '0')}.${hundredths}`
  const wanted = { day: today, tzsPerUsd, today, reason: 'The bank says so.' }
  await setRate(db, commandActor('trade'), wanted)
}

async function chat(app: App, key: string): Promise<string> {
  const messages = [{ role: 'user', content: 'Habari ya leo?' }]
  const body = { model: 'sim/hekima-mini', messages, max_tokens: 40 }
  const { status } = await app.call('POST /v1/chat/completions', { token: key, body })
  return status === 200 ? 'paid' : `status ${status}`
}
