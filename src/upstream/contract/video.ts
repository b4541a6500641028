import type { Fields } from '../../lib/json.ts'
import type { UsageReading } from './usage.ts'

export type VideoRequest = {
  prompt: string
  /** The caller's other fields. */
  extra: Fields
  /** Where the upstream supports it, a repeated start gives the same job. */
  idempotencyKey: string
}
export type VideoJobRef = { jobId: string }
export type VideoErrorCode =
  | 'content_policy_violation'
  | 'invalid_parameter'
  | 'upstream_unavailable'
  | 'generation_failed'
  | 'cancelled'
  | 'expired'
export type VideoStatus = {
  /** Unknown statuses count as `processing`: the job's deadline ends it. */
  status: 'processing' | 'completed' | 'failed' | 'cancelled' | 'expired'
  errorCode?: VideoErrorCode | undefined
  usage: UsageReading
}
export type VideoContentRequest = { jobId: string; range?: string | undefined }
export type VideoContentFormat = {
  status: number
  contentLength?: number | undefined
  contentRange?: string | undefined
  acceptRanges?: string | undefined
}

/** Why a video was not made, in our words. */
export function videoError(code: VideoErrorCode): { code: VideoErrorCode; message: string } {
  return { code, message: MESSAGES[code] }
}

const MESSAGES: Record<VideoErrorCode, string> = {
  content_policy_violation: 'The request was declined by a content policy.',
  invalid_parameter: 'A parameter was not accepted for this model.',
  upstream_unavailable: 'The model is not available at the moment.',
  generation_failed: 'The video could not be generated.',
  cancelled: 'The generation was cancelled.',
  expired: 'The generation took too long and was stopped.',
}
