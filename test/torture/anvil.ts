import { randomUUID } from 'node:crypto'
import { NOBODY } from '../support/money/billing.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { auditLedger } from '../../src/ledger/audit-store.ts'
import { applyCommands } from '../../src/ledger/ledger-store.ts'
import type { Db } from '../../src/db/db.ts'
import { migrate } from '../../src/db/migrate.ts'
import { openDatabase } from '../../src/db/database.ts'
import { sweeper } from '../../src/ledger/sweeper.ts'
import { silentLog } from '../../src/lib/log.ts'
import { runChild } from '../support/child.ts'
import { startTestServer } from '../support/local-server.ts'
import { seededRandom, type Random } from './load/random.ts'

export type AnvilReport = { kills: number; moneyOperations: number; violations: string[] }

const PROCESSES = 4
const DEAD_AFTER_MS = 3_000

/**
 * Anvil: the ledger alone, without HTTP. Several processes work on a few accounts, take holds, and
 * settle and release each hold at the same time; each is killed soon after its first hold, over and over.
 */
export async function anvil(options: {
  seed: number
  kills: number
  moneyOperations: number
  withinS: number
}): Promise<AnvilReport> {
  const postgres = await startTestServer()
  const db = openDatabase({ url: postgres.url, poolSize: 4, log: silentLog })
  await migrate(db, silentLog)
  const accounts = Array.from({ length: 12 }, () => randomUUID())
  await fund(db, accounts)
  const random = seededRandom(options.seed)
  const untilMs = performance.now() + options.withinS * 1_000
  let kills = 0
  const enough = async () =>
    performance.now() > untilMs ||
    (kills >= options.kills && (await operations(db)) >= options.moneyOperations)
  const end = new AbortController()
  const workers = Array.from({ length: PROCESSES }, async (_, i) => {
    const own = random.fork(`process ${i}`)
    while (!end.signal.aborted) {
      await runUntilKilled(postgres.url, accounts, own)
      kills += 1
    }
  })
  const sweep = sweeperOf(db)
  while (!(await enough())) {
    await sweep()
    await sleep(1_000)
  }
  end.abort()
  await Promise.all(workers)
  await sleep(DEAD_AFTER_MS + 500)
  await sweep()
  const violations = (await auditLedger(db)).findings.map((finding) => finding.sentence)
  const holds = await db.query('select id from holds')
  if (holds.length > 0) violations.push(`${holds.length} holds are left`)
  const report = { kills, moneyOperations: await operations(db), violations }
  // Each process has had a hold before it was killed.
  if (report.moneyOperations < kills) violations.push('the ledger had next to nothing to do')
  await db.close()
  await postgres.stop()
  return report
}

async function runUntilKilled(url: string, accounts: string[], random: Random): Promise<void> {
  const child = runChild('test/faults/children/hammer.ts', [url, '600000', ...accounts])
  await child.line()
  await sleep(random.between(0, 2_500))
  child.kill('SIGKILL')
  await child.ended
}

function sweeperOf(db: Db): () => Promise<void> {
  const job = sweeper({
    db,
    log: silentLog,
    deadAfterMs: DEAD_AFTER_MS,
    onReleased: async () => {},
    own: NOBODY,
    claimed: async () => new Set(),
  })
  return () => job.run(new AbortController().signal)
}

async function fund(db: Db, accounts: string[]): Promise<void> {
  const grants = accounts.map((accountId) => {
    const id = randomUUID()
    const entry = { id, type: 'topup' as const, key: id, description: 'Start' }
    return { kind: 'grant' as const, accountId, amountMicro: 100_000n, entry }
  })
  await db.begin((tx) => applyCommands(tx, grants))
}

/** Holds taken and holds closed, as the database counted them, and grants. */
async function operations(db: Db): Promise<number> {
  const [row] = await db.query<{ holds: bigint; grants: bigint }>(
    `select (select n_tup_ins + n_tup_del from pg_stat_user_tables where relname = 'holds') as holds,
       (select count(*) from ledger_entries where type = 'topup') as grants`,
  )
  return Number(row!.holds) + Number(row!.grants)
}
