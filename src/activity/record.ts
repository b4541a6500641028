import type { UpstreamCost } from '../ledger/upstream-cost.ts'

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
  /** The part of the charge that was paid with credits that nobody had bought. */
  giftMicro?: bigint | undefined
  /** What the work was worth, if it was done and nobody paid for it. */
  waivedMicro?: bigint | undefined
  /** What it cost us; undefined where nobody knows. For operators, as are the next three. */
  upstreamCost?: UpstreamCost | undefined
  upstream?: string | undefined
  attempts?: number | undefined
  firstByteMs?: number | undefined
  latencyMs: number
  status: ActivityStatus
  errorCode?: string | undefined
  /** The upstream reported no usage, so this is our estimate. */
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
