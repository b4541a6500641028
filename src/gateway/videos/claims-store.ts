import {
  as,
  bool,
  columns,
  int,
  int8,
  json,
  oneOf,
  optional,
  text,
  time,
  type RowOf,
} from '../../db/columns.ts'
import type { Tx } from '../../db/db.ts'
import type { ModelTarget } from '../../upstream/contract/contract.ts'
import { TARGET } from './jobs-store.ts'

const CLAIMED = columns({
  id: text,
  /** Proves the claim: changes are made only while the row has it. */
  lease: text,
  status: oneOf<'pending' | 'processing'>(),
  accountId: text,
  workspaceId: optional(text),
  keyId: optional(text),
  requestId: text,
  model: text,
  priceSnapshotId: optional(text),
  priceMicro: int8,
  creditsPerUsd: text,
  margin: text,
  targets: json<readonly ModelTarget[]>(),
  /** The request as JSON, until an upstream has accepted it. */
  request: optional(text),
  holdId: optional(text),
  /** Half of the hold's time has passed. */
  holdDue: as('hold_until < now() + make_interval(secs => $3::float8)', bool),
  upstream: optional(as(TARGET, json<ModelTarget>())),
  upstreamJobId: optional(text),
  submits: int,
  polls: int,
  overdue: as('deadline <= now()', bool),
  /** The account was deleted. */
  orphaned: as(
    'exists (select from accounts a where a.id = account_id and a.deleted_at is not null)',
    bool,
  ),
  createdAt: time,
})
export type ClaimedJob = RowOf<typeof CLAIMED>

/**
 * Claims due jobs for `leaseS`, new ones first, then those that have waited longest, without
 * waiting for locked rows.
 */
export async function claimDueJobs(
  tx: Tx,
  claim: { limit: number; leaseS: number; renewAheadS: number },
): Promise<ClaimedJob[]> {
  const rows = await tx.query(
    `update video_jobs set lease = gen_random_uuid(),
       lease_until = now() + make_interval(secs => $2::float8)
     where id in (
       select id from video_jobs
       where next_look_at <= now() and (lease_until is null or lease_until <= now())
       order by status, next_look_at limit $1 for update skip locked)
     returning ${CLAIMED.list}`,
    [claim.limit, claim.leaseS, claim.renewAheadS],
  )
  return CLAIMED.all(rows)
}
