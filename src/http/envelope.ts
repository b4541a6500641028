import { JSON_TYPE, type StorableAnswer } from '../lib/answer.ts'
import type { Dialect, Success } from './route.ts'

/**
 * A success as the bytes that are sent. The request id is among the headers, so that an answer that
 * was stored for a retry is sent with the id that its body names.
 */
export function renderSuccess(
  success: Success,
  shape: { dialect: Dialect; status: number; requestId: string },
): StorableAnswer {
  const status = success.status ?? shape.status
  const own = { 'content-type': JSON_TYPE, 'x-request-id': shape.requestId }
  const headers = success.headers === undefined ? own : { ...own, ...success.headers }
  const body =
    shape.dialect === 'envelope' || shape.dialect === 'both'
      ? enveloped(success, status, shape.requestId)
      : bare(success)
  return { status, headers, body }
}

function bare(success: Success): string {
  if ('dataJson' in success) return success.dataJson
  const { data, beside } = success
  return JSON.stringify(beside === undefined ? data : { ...(data as object), ...beside })
}

function enveloped(success: Success, status: number, requestId: string): string {
  const { beside, after } = success
  const data = 'dataJson' in success ? success.dataJson : JSON.stringify(success.data ?? {})
  return (
    `{"status":"success","code":${status}${members(beside)},"data":${data}${members(after)},` +
    `"request_id":"${requestId}"}`
  )
}

function members(siblings: Record<string, unknown> | undefined): string {
  if (siblings === undefined) return ''
  const text = JSON.stringify(siblings)
  return text === '{}' ? '' : `,${text.slice(1, -1)}`
}
