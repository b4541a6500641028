import { isFields, textOf, type Fields } from '../../lib/json.ts'
import type {
  HttpCall,
  ImageRequest,
  ImageResult,
  JsonAnswer,
  ModelTarget,
} from '../contract/contract.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import { answerFields, openAiUsage } from './fields.ts'

/** Ten large pictures in base64. */
const IMAGES_CAP = 256 * 1024 * 1024

export function buildImages(request: ImageRequest, target: ModelTarget): HttpCall {
  // Newer picture models always answer in base64 and refuse this field.
  const own = target.model.includes('gpt-image') ? {} : { response_format: 'b64_json' }
  return imageCall('/images/generations', request, target, own)
}

export function imageCall(
  path: string,
  request: ImageRequest,
  target: ModelTarget,
  own: Fields,
): HttpCall {
  const { prompt, n, user, extra } = request
  const body = { ...extra, ...own, model: target.model, prompt, n, user }
  return { method: 'POST', path, json: body, expects: 'json', maxBytes: IMAGES_CAP }
}

export function readImages(answer: JsonAnswer, request: ImageRequest): ImageResult {
  const json = answerFields(answer)
  if (!Array.isArray(json.data) || json.data.length === 0)
    throw new UpstreamError('garbage', 'data')
  return {
    images: json.data.map((item) => readImage(item, request)),
    usage: openAiUsage(json.usage),
    generationId: answer.headers['x-generation-id'],
  }
}

/** A link instead of bytes is not followed. */
function readImage(item: unknown, request: ImageRequest): ImageResult['images'][number] {
  if (!isFields(item) || typeof item.b64_json !== 'string' || item.b64_json === '') {
    throw new UpstreamError('garbage', 'image')
  }
  return {
    b64Json: item.b64_json,
    mediaType: textOf(item.media_type) ?? mediaTypeOf(item.b64_json, request),
    revisedPrompt: textOf(item.revised_prompt),
  }
}

const BY_FIRST_BYTES: [string, string][] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
  ['R0lGOD', 'image/gif'],
]

function mediaTypeOf(base64: string, request: ImageRequest): string {
  const known = BY_FIRST_BYTES.find(([start]) => base64.startsWith(start))
  if (known) return known[1]
  return request.extra.output_format === 'svg' ? 'image/svg+xml' : 'image/png'
}
