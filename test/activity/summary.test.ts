import assert from 'node:assert/strict'
import { before, it } from 'node:test'
import * as fc from 'fast-check'
import { insertRecords } from '../../src/activity/activity-store.ts'
import type { ActivityRecord } from '../../src/activity/record.ts'
import { type Period, PERIODS, summarizeActivity } from '../../src/activity/summary-store.ts'
import { addPendingRollups } from '../../src/activity/summing-store.ts'
import type { Db } from '../../src/db/db.ts'
import { uuidv7 } from '../../src/lib/ids.ts'
import { withDatabase } from '../support/databases.ts'
import { sample, ZONE } from './sample.ts'

// Cairo changes its clocks at midnight: the hour after, or the hour before, happens never or twice.
const ZONES = [ZONE, 'Africa/Cairo', 'America/Los_Angeles', 'Asia/Kathmandu', 'UTC']

withDatabase('activity summary', (open) => {
  let db: Db
  before(async () => (db = await open()))

  it('equals the sum of the records, for every period, on random data', async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ timeZone, at, records, splitAt, batch }) => {
        const accountId = uuidv7()
        const mine = records.map((record) => ({ ...record, accountId }))
        await insertRecords(db, mine.slice(0, splitAt), timeZone)
        await insertRecords(db, [...mine.slice(splitAt), ...mine.slice(0, 3)], timeZone)
        // Some of it is in the sums, and some still due.
        if (batch > 0) await addPendingRollups(db, batch)
        for (const period of PERIODS) {
          const query = { accountId, period, at, timeZone }
          const { startsAt, endsAt, ...summary } = await summarizeActivity(db, query)
          const label = localPeriod(period, timeZone)
          const within = mine.filter((record) => label(record.createdAt) === label(at))
          assert.deepEqual(summary, sums(within), period)
          for (const { createdAt } of mine) {
            const counted = label(createdAt) === label(at)
            assert.equal(startsAt <= createdAt && createdAt < endsAt, counted, `${period} bounds`)
          }
        }
      }),
      { numRuns: 60 },
    )
  })

  it('begins and ends at local midnight, told in UTC', async () => {
    const bounds = async (period: Period) => {
      const at = new Date('2026-01-01T21:30:00Z')
      const query = { accountId: uuidv7(), period, at, timeZone: ZONE }
      const { startsAt, endsAt, requests } = await summarizeActivity(db, query)
      assert.equal(requests, 0n)
      return [startsAt.toISOString(), endsAt.toISOString()]
    }
    // In Dar es Salaam it is already Friday, 2 January.
    assert.deepEqual(await bounds('today'), [
      '2026-01-01T21:00:00.000Z',
      '2026-01-02T21:00:00.000Z',
    ])
    assert.deepEqual(await bounds('week'), ['2025-12-28T21:00:00.000Z', '2026-01-04T21:00:00.000Z'])
    assert.deepEqual(await bounds('month'), [
      '2025-12-31T21:00:00.000Z',
      '2026-01-31T21:00:00.000Z',
    ])
    assert.deepEqual(await bounds('year'), ['2025-12-31T21:00:00.000Z', '2026-12-31T21:00:00.000Z'])
  })
})

/** Instants that crowd around local midnights, month ends, new years and clock changes. */
const instant = fc
  .record({
    base: fc.constantFrom(
      '2026-01-01T00:00:00Z',
      '2026-02-28T21:00:00Z',
      '2026-04-23T22:00:00Z',
      '2026-10-29T21:00:00Z',
      '2026-11-15T21:00:00Z',
      '2025-12-31T21:00:00Z',
    ),
    hours: fc.oneof(fc.integer({ min: -14, max: 14 }), fc.integer({ min: -800, max: 800 })),
    jitterMs: fc.constantFrom(-1, 0, 1, 1_799_999),
  })
  .map(({ base, hours, jitterMs }) => new Date(Date.parse(base) + hours * 3_600_000 + jitterMs))

const record: fc.Arbitrary<ActivityRecord> = fc
  .record({
    createdAt: instant,
    model: fc.constantFrom('acme/small', 'acme/large', 'b%_', "o'hara/x"),
    status: fc.constantFrom('completed', 'completed', 'failed', 'cancelled'),
    cost: fc.bigInt({ min: 0n, max: 10n ** 13n }),
    promptTokens: fc.option(fc.nat(2_000_000), { nil: undefined }),
    completionTokens: fc.option(fc.nat(2_000_000), { nil: undefined }),
    totalTokens: fc.option(fc.nat(4_000_000), { nil: undefined }),
    workspaceId: fc.option(fc.uuid(), { nil: undefined }),
  })
  .map(({ cost, ...rest }) =>
    sample({ ...rest, costMicro: rest.status === 'completed' ? cost : 0n }),
  )

const world = fc.record({
  timeZone: fc.constantFrom(...ZONES),
  at: instant,
  records: fc.array(record, { maxLength: 60 }),
  splitAt: fc.nat(60),
  batch: fc.nat(80),
})

/** Names the local day, week, month or year of an instant, by the runtime's own calendar. */
function localPeriod(period: Period, timeZone: string): (at: Date) => string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  })
  return (at) => {
    const day = format.format(at)
    if (period === 'week') {
      const sinceMonday = (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7
      return new Date(Date.parse(day) - sinceMonday * 86_400_000).toISOString().slice(0, 10)
    }
    return day.slice(0, { today: 10, month: 7, year: 4 }[period])
  }
}

function sums(records: ActivityRecord[]) {
  const byModel = [...Map.groupBy(records, (record) => record.model)]
    .map(([model, of]) => ({ model, ...totals(of) }))
    .sort(
      (a, b) =>
        Number(b.costMicro - a.costMicro) ||
        Number(b.requests - a.requests) ||
        (a.model < b.model ? -1 : 1),
    )
  return { ...totals(records), byModel }
}

function totals(records: ActivityRecord[]) {
  const add = (value: (record: ActivityRecord) => bigint) =>
    records.reduce((sum, record) => sum + value(record), 0n)
  return {
    requests: BigInt(records.length),
    tokens: add((record) => BigInt(tokensOf(record))),
    costMicro: add((record) => record.costMicro),
  }
}

/** What a record adds to the totals: the reported total, else the sum of the reported parts. */
function tokensOf(record: ActivityRecord): number {
  return record.totalTokens ?? (record.promptTokens ?? 0) + (record.completionTokens ?? 0)
}
