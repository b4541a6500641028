import { listActivity } from '../src/activity/list.ts'
import { summarizeActivity } from '../src/activity/summary-store.ts'
import { periodOfDays, readOverview } from '../src/operators/business/overview.ts'
import type { Db } from '../src/db/db.ts'

export const ZONE = 'Africa/Dar_es_Salaam'
export const ACCOUNT = 'cccccccc-0000-7000-8000-000000000000'
const WORKSPACE = 'bbbbbbbb-0000-7000-8000-000000000003'
const MODEL = 'acme/model-0'

export type Read = { name: string; run(db: Db): Promise<{ rows: number }> }

const page = (name: string, query: object): Read => ({
  name,
  async run(db) {
    const request = { accountId: ACCOUNT, limit: 50, offset: 0, ...query }
    return { rows: (await listActivity(db, request)).records.length }
  },
})

/**
 * Reads that must take the same time however many records there are. 10,000 of them fill each page,
 * and most of the days and models that the overview has a row for.
 */
export const FLAT_READS: Read[] = [
  page('page 1', {}),
  page('page 1 of a model', { model: MODEL }),
  page('page 1 of failures', { status: 'failed' }),
  page('page 1 of a workspace', { workspaceId: WORKSPACE }),
  page('page 1, all filters', { workspaceId: WORKSPACE, model: MODEL, status: 'completed' }),
  {
    name: "the year's summary",
    async run(db) {
      const at = new Date('2026-12-20T12:00:00Z')
      const request = { accountId: ACCOUNT, period: 'year' as const, at, timeZone: ZONE }
      return { rows: (await summarizeActivity(db, request)).byModel.length }
    },
  },
  {
    name: "the operators' overview of a month",
    async run(db) {
      const period = periodOfDays('2026-11-01', '2026-11-30', ZONE)
      return { rows: (await readOverview(db, period)).costs.length }
    },
  },
]

/** Reads that may take longer; measured so that it is known. */
export const DEEP_READS: Read[] = [
  page('offset 100,000', { offset: 100_000 }),
  page('offset 900,000', { offset: 900_000 }),
  page('completed, offset 800,000', { status: 'completed', offset: 800_000 }),
]
