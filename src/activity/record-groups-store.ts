import type { Row, Tx } from '../db/db.ts'
import { ALL_GROUPS } from './pending-rollups-store.ts'
import type { ActivityStatus } from './record.ts'

export type ActivityFilter = {
  workspaceId?: string | undefined
  model?: string | undefined
  status?: ActivityStatus | undefined
}

/**
 * The record groups that a filter selects. A group is the records of one
 * account with the same workspace, model and status. `total` counts what the filter selects,
 * `ofAll` every record that the account keeps.
 */
export type RecordGroups = { ids: string[]; total: number; ofAll: number }

/** Filters are exact matches. */
export async function findRecordGroups(
  tx: Tx,
  accountId: string,
  filter: ActivityFilter,
): Promise<RecordGroups> {
  const rows = await tx.read<Row & { ids: string[]; total: bigint; of_all: bigint }>(
    `select coalesce(array_agg(distinct group_id) filter (where selected), '{}')::text[] as ids,
       coalesce(sum(records) filter (where selected), 0)::int8 as total,
       coalesce(sum(records), 0)::int8 as of_all
     from (
       select group_id, records,
         ($2::uuid is null or coalesce(to_workspace_id, workspace_id) = $2)
         and ($3::text is null or model = $3)
         and ($4::text is null or status = $4) as selected
       from ${ALL_GROUPS} as one left join activity_workspace_moves as moved
         on moved.account_id = one.account_id and from_workspace_id = workspace_id
       where one.account_id = $1 and records > 0
     ) as groups`,
    [accountId, filter.workspaceId ?? null, filter.model ?? null, filter.status ?? null],
  )
  const row = rows[0]!
  return { ids: row.ids, total: Number(row.total), ofAll: Number(row.of_all) }
}
