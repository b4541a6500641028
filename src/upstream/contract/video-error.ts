import type { VideoErrorCode } from './contract.ts'

export type VideoError = { code: VideoErrorCode; message: string }

/** Why a video was not made, in our words. */
export function videoError(code: VideoErrorCode): VideoError {
  return { code, message: MESSAGES[code] }
}

const MESSAGES: Record<VideoErrorCode, string> = {
  content_policy_violation: 'The request was declined by a content policy.',
  invalid_parameter: 'A parameter was not accepted for this model.',
  upstream_unavailable: 'The model is not available at the moment.',
  generation_failed: 'The video could not be generated.',
  cancelled: 'The generation was cancelled.',
  expired: 'The generation took too long and was given up.',
}
