import type { Answer } from '../../lib/answer.ts'
import { Failure } from '../../lib/failure.ts'
import type { ModelTarget } from '../../upstream/contract/contract.ts'
import type { Source } from '../../upstream/wire/source.ts'
import { ByteOutflow } from './byte-outflow.ts'
import type { GatewayCall } from '../gateway.ts'
import type { Upstreams } from '../../upstream/work.ts'
import type { VideoJobView } from './jobs-store.ts'
import { showVideo, type Videos } from './videos.ts'
import type { VideoContentFormat } from '../../upstream/contract/video.ts'

type Film = { format: VideoContentFormat; first: Buffer; bytes: Source<Buffer> }

/** The finished video, fetched from the upstream, which the caller does not see. */
export async function videoContent(
  videos: Videos,
  call: GatewayCall,
  wanted: { id: string; range: string | undefined },
): Promise<Answer> {
  const { callLimits, upstreams } = videos.gateway
  const { accountId } = call.principal
  const source = sourceOf(upstreams, await showVideo(videos, { id: wanted.id, accountId }))
  const leave = callLimits.enter(call.principal)
  try {
    const film = await fetchFilm(upstreams, call, source, rangeOf(wanted.range))
    const { format, first, bytes } = film
    return {
      status: format.status,
      headers: headersOf(format),
      body: new ByteOutflow(first, bytes, leave),
    }
  } catch (error) {
    leave()
    throw error
  }
}

/** Of all conflicts it is one that passes. */
const RETRY_LATER = { 'x-should-retry': 'true' }

type VideoSource = { target: ModelTarget; jobId: string }

function sourceOf(upstreams: Upstreams, job: VideoJobView): VideoSource {
  const { status, upstream: target, upstreamJobId: jobId } = job
  if (status === 'pending' || status === 'processing') {
    const sentence = `The video is not ready: its job is ${status}.`
    throw new Failure('conflict', sentence, { headers: RETRY_LATER })
  }
  if (status !== 'completed' || target === undefined || jobId === undefined) {
    throw new Failure('gone', `There is no video: its job is ${status}.`)
  }
  // That upstream is no longer configured.
  if (!upstreams.can([target], 'videoContent')) {
    throw new Failure('gone', 'The content is no longer available.')
  }
  return { target, jobId }
}

/** A range that the upstream refuses is left out: the whole video is a valid answer too. */
async function fetchFilm(
  upstreams: Upstreams,
  call: GatewayCall,
  source: VideoSource,
  range: string | undefined,
): Promise<Film> {
  const request = { jobId: source.jobId, range }
  try {
    return await openFilm(upstreams, call, source.target, request)
  } catch (error) {
    const refused = error instanceof Failure && error.kind === 'upstream_rejected'
    if (range === undefined || !refused) throw error
    return fetchFilm(upstreams, call, source, undefined)
  }
}

/** Waits for the first bytes, so that errors before them are ordinary failures. */
async function openFilm(
  upstreams: Upstreams,
  { signal }: GatewayCall,
  target: ModelTarget,
  request: { jobId: string; range: string | undefined },
): Promise<Film> {
  const result = await upstreams.call([target], 'videoContent', request, { signal })
  const { bytes, ...format } = result
  if (!bytes.ready) await bytes.more()
  const first = bytes.take()
  if (first !== undefined) return { format, first, bytes }
  throw new Failure('upstream_failed', 'The video could not be fetched. Try again.')
}

/** One range of bytes; other forms are ignored, as the standard allows. */
function rangeOf(header: string | undefined): string | undefined {
  const valid = header !== undefined && /^bytes=(?:\d{1,15}-\d{0,15}|-\d{1,15})$/.test(header)
  return valid ? header : undefined
}

function headersOf(format: VideoContentFormat): Record<string, string> {
  const { contentLength, contentRange, acceptRanges } = format
  return {
    'content-type': 'video/mp4',
    'cache-control': 'no-store',
    ...(contentLength === undefined ? {} : { 'content-length': String(contentLength) }),
    ...(acceptRanges === 'bytes' ? { 'accept-ranges': 'bytes' } : {}),
    ...(format.status === 206 && contentRange !== undefined && CONTENT_RANGE.test(contentRange)
      ? { 'content-range': contentRange }
      : {}),
  }
}

const CONTENT_RANGE = /^bytes \d{1,15}-\d{1,15}\/(?:\d{1,15}|\*)$/
