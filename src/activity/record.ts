import assert from 'node:assert/strict'

/** One billable operation, or one stage of it, that reached its reservation. */
export type ActivityRecord = {
  /** UUID v7: retention finds old records by the time in it. */
  id: string
  accountId: string
  /** The workspace of the API key; a call made with a session has none. */
  workspaceId?: string | undefined
  keyId?: string | undefined
  requestId: string
  kind: ActivityKind
  /** The bare catalog id. */
  model: string
  promptTokens?: number | undefined
  completionTokens?: number | undefined
  totalTokens?: number | undefined
  /** What the account was charged. */
  costMicro: bigint
  /** What the balance could not cover: the operator's loss, never shown to the account. */
  uncollectedMicro?: bigint | undefined
  latencyMs: number
  status: ActivityStatus
  errorCode?: string | undefined
  /** The upstream told no usage, so ours is an estimate. */
  estimated: boolean
  priceSnapshotId?: string | undefined
  createdAt: Date
}

export const ACTIVITY_STATUSES = ['completed', 'failed', 'cancelled'] as const
export type ActivityStatus = (typeof ACTIVITY_STATUSES)[number]

/** The stages of the combined voice flow have kinds of their own. */
export const ACTIVITY_KINDS = [
  'chat',
  'embeddings',
  'transcription',
  'speech',
  'voice_transcription',
  'voice_text',
  'voice_speech',
  'image',
  'video',
  'document_analysis',
  'vision_analysis',
  'video_analysis',
] as const
export type ActivityKind = (typeof ACTIVITY_KINDS)[number]

/** Holds what only a bug could break, before the record reaches the database. */
export function checkRecord(record: ActivityRecord): void {
  assert.equal(record.id[14], '7', 'an activity record needs a UUID v7')
  assert.ok(record.costMicro >= 0n, 'a cost is never negative')
  assert.ok(
    record.status === 'completed' || record.costMicro === 0n,
    'only a completed operation is charged',
  )
  for (const count of [record.promptTokens, record.completionTokens, record.totalTokens]) {
    assert.ok(count === undefined || (Number.isSafeInteger(count) && count >= 0), 'a token count')
  }
}

/** What a record adds to the totals: the told total, else the sum of the told parts. */
export function tokensOf(record: ActivityRecord): number {
  return record.totalTokens ?? (record.promptTokens ?? 0) + (record.completionTokens ?? 0)
}
