import type { Fields } from '../../lib/json.ts'
import type {
  AnswerHead,
  HttpCall,
  ImageRequest,
  ModelTarget,
  Pieces,
  TranscriptionRequest,
} from '../contract/contract.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import type { VideoContentFormat, VideoContentRequest } from '../contract/video.ts'
import { imageCall } from '../openai/images.ts'

export function buildJsonTranscription(
  request: TranscriptionRequest,
  target: ModelTarget,
): HttpCall {
  return {
    method: 'POST',
    path: '/audio/transcriptions',
    headers: { 'content-type': 'application/json' },
    body: jsonWithAudio(request.audio, {
      ...request.extra,
      model: target.model,
      language: request.language,
      response_format: request.responseFormat,
      input_audio: { format: request.format },
    }),
    expects: 'json',
  }
}

/** A multiple of three: only the last piece is padded. */
const PIECE_BYTES = 192 * 1024

/**
 * Encodes the audio while it is sent: as a whole, 25 MiB would be in memory three times.
 * `input_audio` is last, so the data goes in before the two closing braces.
 */
function jsonWithAudio(audio: Buffer, fields: Fields & { input_audio: Fields }): Pieces {
  const head = Buffer.from(`${JSON.stringify(fields).slice(0, -2)},"data":"`)
  const tail = Buffer.from('"}}')
  return {
    length: head.length + Math.ceil(audio.length / 3) * 4 + tail.length,
    *read() {
      yield head
      for (let at = 0; at < audio.length; at += PIECE_BYTES) {
        yield Buffer.from(audio.toString('base64', at, at + PIECE_BYTES), 'latin1')
      }
      yield tail
    },
  }
}

/** Always answers in base64. */
export function buildImage(request: ImageRequest, target: ModelTarget): HttpCall {
  return imageCall('/images', request, target, {})
}

/** Fetched by job id, never by a link from an answer. */
export function buildVideoContent(request: VideoContentRequest): HttpCall {
  return {
    method: 'GET',
    path: `/videos/${encodeURIComponent(request.jobId)}/content?index=0`,
    headers: request.range === undefined ? {} : { range: request.range },
    expects: 'bytes',
    gone: [400, 403, 404, 410],
    // Allows for a slow reader; a silent upstream is cut off by the idle time-out.
    timeouts: { totalMs: 3_600_000 },
  }
}

export function readVideoContent(head: AnswerHead): VideoContentFormat {
  const type = head.headers['content-type'] ?? ''
  if (/json|html|text\//.test(type)) throw new UpstreamError('garbage', 'not_video')
  const length = Number(head.headers['content-length'] ?? Number.NaN)
  return {
    status: head.status === 206 ? 206 : 200,
    contentLength: Number.isSafeInteger(length) ? length : undefined,
    contentRange: head.headers['content-range'],
    acceptRanges: head.headers['accept-ranges'],
  }
}
