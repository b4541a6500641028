import type { Tx } from '../db/db.ts'
import {
  findPosition,
  mergeGroups,
  type PageRequest,
  readGroup,
  readPage,
  scanGroups,
  scanNewest,
} from './list-store.ts'
import { type ActivityFilter, findRecordGroups, type RecordGroups } from './record-groups-store.ts'
import type { ActivityRecord } from './record.ts'

export type ActivityQuery = ActivityFilter & {
  accountId: string
  limit: number
  offset: number
  /** Only records older than this one: pages that stay still while new records arrive. */
  before?: string | undefined
}

export type ActivityPage = { records: ActivityRecord[]; total: number; hasMore: boolean }

/** How many of the newest are scanned first: cheap if in vain, and enough for every common filter. */
const SCAN_FIRST = 4_000
/** Beyond this many index entries, a scan along the account's index is cheaper than a merge. */
const MERGE_LIMIT = 20_000

/** The account's records, newest first. `total` counts what the filter selects, on any page. */
export async function listActivity(tx: Tx, query: ActivityQuery): Promise<ActivityPage> {
  const groups = await findRecordGroups(tx, query.accountId, query)
  const before = query.before ? await findPosition(tx, query.accountId, query.before) : undefined
  // An unknown record, another account's, or one that retention took has nothing before it.
  const nothing = query.offset >= groups.total || (query.before !== undefined && !before)
  if (nothing) return { records: [], total: groups.total, hasMore: false }
  const { accountId, limit, offset } = query
  // One more than requested shows whether there is another page.
  const page = { accountId, before, limit: limit + 1, offset }
  const records = isFiltered(query) ? await readGroups(tx, page, groups) : await readPage(tx, page)
  return {
    records: records.slice(0, limit),
    total: groups.total,
    hasMore: records.length > limit,
  }
}

function isFiltered(filter: ActivityFilter): boolean {
  return [filter.workspaceId, filter.model, filter.status].some((value) => value !== undefined)
}

/**
 * What many of the records are is soon found among the newest; what is rare, or was common long
 * ago, is found group by group. So no filter makes the database read through all that it leaves out.
 */
async function readGroups(
  tx: Tx,
  page: PageRequest,
  { ids, total, ofAll }: RecordGroups,
): Promise<ActivityRecord[]> {
  if (ids.length === 1) return readGroup(tx, page, ids[0]!)
  const wanted = page.offset + page.limit
  if (wanted * ofAll * 2 <= SCAN_FIRST * total) {
    const records = await scanNewest(tx, page, { groups: ids, newest: SCAN_FIRST })
    if (records.length === page.limit) return records
  }
  const entries = Math.min(total, ids.length * wanted)
  return entries <= MERGE_LIMIT ? mergeGroups(tx, page, ids) : scanGroups(tx, page, ids)
}
