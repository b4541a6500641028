import assert from 'node:assert/strict'
import { NOBODY } from './support/money/billing.ts'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { insertRecords } from '../src/activity/activity-store.ts'
import { activityRetention } from '../src/activity/retention.ts'
import { activitySumming } from '../src/activity/summing.ts'
import { readConfig } from '../src/config.ts'
import { interruptedRecords } from '../src/gateway/bill/interrupted.ts'
import { sweeper } from '../src/ledger/sweeper.ts'
import { silentLog } from '../src/lib/log.ts'
import { purgeExpired } from '../src/app/purge-expired.ts'
import { assertAudit } from './support/money/audit.ts'
import { openFastDatabase } from './support/fast-database.ts'
import { openYearLoad } from './support/year-load.ts'

/* A year in fast motion: every room is used, the clock is pushed on, the background jobs run. */

/** These grow, and must: with what people pay for, or with the people themselves. */
const GROW: Record<string, string> = {
  ledger_entries: 'every movement of money stays for ever',
  payments: 'a late success may still come, and people ask about old ones',
  activity_rollups: 'the sums of each day outlive its records, by decision',
  cost_sums: 'so do these',
}

/** What happens on a day happens once a week. */
const STEP_DAYS = 7
const env = {
  ACTIVITY_RETENTION_DAYS: '30',
  NOTIFICATION_DAYS: '30',
  REVOKED_KEY_DAYS: '30',
  VIDEO_JOB_DAYS: '30',
}

let fast: Awaited<ReturnType<typeof openFastDatabase>>
before(async () => {
  fast = await openFastDatabase()
})
after(() => fast.db.close())

test('a year of use leaves every table as large as a quarter did', async () => {
  const { db, clock } = fast
  const config = readConfig(env)
  const load = await openYearLoad({ db, clock, config })
  const jobs = [
    purgeExpired({ db, config }),
    activitySumming({ db }),
    activityRetention({ db, days: config.ACTIVITY_RETENTION_DAYS, log: silentLog }),
    { run: load.storedAnswers.tidy },
    sweeper({
      db,
      log: silentLog,
      onReleased: (tx, holds) =>
        insertRecords(tx, interruptedRecords(holds, clock.now()), config.ACTIVITY_TIME_ZONE),
      own: NOBODY,
      claimed: async () => new Set(),
    }),
  ]
  const live = async (days: number) => {
    for (let passed = 0; passed < days; passed += STEP_DAYS) {
      await load.day()
      await fast.pass(STEP_DAYS)
      for (const job of jobs) await job.run(new AbortController().signal)
    }
    return fast.counts()
  }
  await live(119)
  // Once more without the clock, so that what lives for a day is seen too.
  await load.day()
  const quarter = await fast.counts()
  await live(245)
  await load.day()
  const year = await fast.counts()
  for (const [table, rows] of year) {
    const then = quarter.get(table)!
    if (table in GROW) assert.ok(rows > then, `${table} is said to grow`)
    else assert.ok(rows <= then + 2, `${table}: ${then} rows after a quarter, ${rows} after a year`)
    assert.ok(UNUSED.includes(table) || then > 0, `${table} was not used`)
  }
  await assertAudit(db)
})

/** Filled only by what this year has none of: who runs out of credits or leaves too much, or pays; operators. */
const UNUSED = [
  'uncollected',
  'received_sums',
  'operators',
  'operator_actions',
  'operator_requests',
  'audit_runs',
  'fx_rates',
  'webhook_endpoints',
  'webhook_deliveries',
  'upstream_outages',
  'margins',
  'upstream_drains',
  'allowance_notices',
  'unpaid_days',
]

test('the operator is told of every table what bounds it', async () => {
  const text = readFileSync(new URL('../docs/operations.md', import.meta.url), 'utf8')
  const told = new Set(text.match(/`[a-z_]+`/g))
  const missing = [...(await fast.counts()).keys()].filter((table) => !told.has(`\`${table}\``))
  assert.deepEqual(missing, [])
})
