import { fieldsOf, isFields, textOf } from '../../lib/json.ts'
import type { HttpCall, JsonAnswer, ModelTarget } from '../contract/contract.ts'
import { UpstreamError } from '../contract/upstream-error.ts'
import type { VideoErrorCode, VideoJobRef, VideoRequest, VideoStatus } from '../contract/video.ts'
import { errorInBody, openAiUsage } from '../openai/fields.ts'

/** It becomes part of a path. */
const JOB_ID = /^[A-Za-z0-9_-][A-Za-z0-9_.:~-]{0,199}$/

export function buildVideoStart(request: VideoRequest, target: ModelTarget): HttpCall {
  const { prompt, extra, idempotencyKey } = request
  return {
    method: 'POST',
    path: '/videos',
    headers: { 'idempotency-key': idempotencyKey },
    json: { ...extra, model: target.model, prompt },
    expects: 'json',
    repeatable: false,
  }
}

export function readVideoStart(answer: JsonAnswer): VideoJobRef {
  const json = fieldsOf(answer.json)
  if (isFields(json.error)) throw errorInBody(json)
  if (typeof json.id !== 'string' || !JOB_ID.test(json.id))
    throw new UpstreamError('garbage', 'job_id')
  return { jobId: json.id }
}

export function buildVideoStatus(request: VideoJobRef): HttpCall {
  return {
    method: 'GET',
    path: `/videos/${encodeURIComponent(request.jobId)}`,
    expects: 'json',
    gone: [404, 410],
  }
}

export function readVideoStatus(answer: JsonAnswer): VideoStatus {
  const json = fieldsOf(answer.json)
  if (isFields(json.error)) throw errorInBody(json)
  if (typeof json.status !== 'string') throw new UpstreamError('garbage', 'status')
  const status = statusOf(json.status, json.unsigned_urls)
  const errorCode = errorOf(status, textOf(json.error) ?? '')
  return { status, usage: openAiUsage(json.usage), errorCode }
}

/** Complete only with content; unknown statuses wait for the deadline. */
function statusOf(word: string, urls: unknown): VideoStatus['status'] {
  if (word === 'completed') {
    return Array.isArray(urls) && urls.length > 0 ? 'completed' : 'processing'
  }
  return word === 'failed' || word === 'cancelled' || word === 'expired' ? word : 'processing'
}

function errorOf(status: VideoStatus['status'], message: string): VideoErrorCode | undefined {
  if (status === 'processing' || status === 'completed') return undefined
  return status === 'failed' ? failedCode(message) : status
}

function failedCode(message: string): VideoErrorCode {
  if (/policy|moderat|safety|sensitive/i.test(message)) return 'content_policy_violation'
  if (/invalid|unsupported|parameter|not supported/i.test(message)) return 'invalid_parameter'
  if (/unavailable|overload|capacity|timeout|timed out/i.test(message))
    return 'upstream_unavailable'
  return 'generation_failed'
}
