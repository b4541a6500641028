import type {
  AnswerHead,
  HttpCall,
  ImageRequest,
  ModelTarget,
  TranscriptionRequest,
  VideoContentFormat,
  VideoContentRequest,
} from './contract.ts'
import { Fault } from './fault.ts'
import { imageCall } from './openai-images.ts'
import { withoutSteering } from './steering.ts'

export function buildJsonTranscription(
  request: TranscriptionRequest,
  target: ModelTarget,
): HttpCall {
  return {
    method: 'POST',
    path: '/audio/transcriptions',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...withoutSteering(request.extra ?? {}),
      model: target.model,
      input_audio: { data: request.audio.toString('base64'), format: request.format },
      language: request.language,
      response_format: request.responseFormat,
    }),
    expects: 'json',
  }
}

/** Always base64, and there is no field to ask for anything else. */
export function buildImage(request: ImageRequest, target: ModelTarget): HttpCall {
  return imageCall('/images', request, target, {})
}

/** The content is fetched by job id, never by an address from an answer. */
export function buildVideoContent(request: VideoContentRequest): HttpCall {
  return {
    method: 'GET',
    path: `/videos/${encodeURIComponent(request.jobId)}/content?index=0`,
    headers: request.range === undefined ? {} : { range: request.range },
    expects: 'bytes',
    gone: [400, 403, 404, 410],
    // As long as a slow reader may take; a silent upstream is cut off by its idle time.
    timeouts: { totalMs: 3_600_000 },
  }
}

export function readVideoContent(head: AnswerHead): VideoContentFormat {
  const type = head.headers['content-type'] ?? ''
  if (/json|html|text\//.test(type)) throw new Fault('garbage', 'not_video')
  const length = Number(head.headers['content-length'] ?? Number.NaN)
  const range = head.headers['content-range']
  const accepts = head.headers['accept-ranges']
  return {
    status: head.status === 206 ? 206 : 200,
    mediaType: 'video/mp4',
    ...(Number.isSafeInteger(length) ? { contentLength: length } : {}),
    ...(range === undefined ? {} : { contentRange: range }),
    ...(accepts === undefined ? {} : { acceptRanges: accepts }),
  }
}
