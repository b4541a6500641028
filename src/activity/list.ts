import type { Tx } from '../db/db.ts'
import { type ActivityFilter, findLanes, type Lanes } from './record-groups-store.ts'
import { findPosition, mergeLanes, type PageRequest, walkIndex } from './list-store.ts'
import type { ActivityRecord } from './record.ts'

export type ActivityQuery = ActivityFilter & {
  accountId: string
  limit: number
  offset: number
  /** Only records older than this one: pages that stay still while new records arrive. */
  before?: string | undefined
}

export type ActivityPage = { records: ActivityRecord[]; total: number; hasMore: boolean }

/** How far a first look goes: cheap when it finds nothing, and enough for every common filter. */
const REACH = 4_000
/** Beyond this many index entries, one walk along the account's index is cheaper than a merge. */
const MERGE_LIMIT = 20_000

/** The account's records, newest first. `total` counts what the filter selects, on any page. */
export async function listActivity(tx: Tx, query: ActivityQuery): Promise<ActivityPage> {
  const lanes = await findLanes(tx, query.accountId, query)
  const before = query.before ? await findPosition(tx, query.accountId, query.before) : undefined
  // An unknown record, another's, or one that retention took has nothing before it.
  const nothing = query.offset >= lanes.total || (query.before !== undefined && !before)
  if (nothing) return { records: [], total: lanes.total, hasMore: false }
  const { accountId, limit, offset } = query
  // One more than asked for tells whether there is another page.
  const page = { accountId, before, limit: limit + 1, offset }
  const records = isFiltered(query) ? await readLanes(tx, page, lanes) : await walkIndex(tx, page)
  return {
    records: records.slice(0, limit),
    total: lanes.total,
    hasMore: records.length > limit,
  }
}

function isFiltered(filter: ActivityFilter): boolean {
  return [filter.workspaceId, filter.model, filter.status].some((value) => value !== undefined)
}

/**
 * What many of the records are is soon found among the newest; what is rare, or was common long
 * ago, is found lane by lane. So no filter makes the database read through all that it leaves out.
 */
async function readLanes(tx: Tx, page: PageRequest, lanes: Lanes): Promise<ActivityRecord[]> {
  const asked = { ...page, lanes: lanes.ids }
  if (lanes.ids.length === 1) return walkIndex(tx, asked)
  const wanted = page.offset + page.limit
  if (wanted * lanes.ofAll * 2 <= REACH * lanes.total) {
    const near = await walkIndex(tx, { ...asked, reach: REACH })
    if (near.length === page.limit) return near
  }
  const entries = Math.min(lanes.total, lanes.ids.length * wanted)
  return entries <= MERGE_LIMIT ? mergeLanes(tx, asked) : walkIndex(tx, asked)
}
