import type { KeptAnswer } from '../lib/answer.ts'
import type { Dialect, Success } from './route.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * A success as the bytes that are sent. The request id is among the headers, so that an answer kept
 * for a replay comes back with the id that its body names.
 */
export function renderSuccess(
  success: Success,
  shape: { dialect: Dialect; status: number; requestId: string },
): KeptAnswer {
  const status = success.status ?? shape.status
  const own = { 'content-type': JSON_TYPE, 'x-request-id': shape.requestId }
  const headers = success.headers === undefined ? own : { ...own, ...success.headers }
  const body =
    shape.dialect === 'compatible' ? bare(success) : enveloped(success, status, shape.requestId)
  return { status, headers, body }
}

function bare({ data, beside }: Success): string {
  return JSON.stringify(beside === undefined ? data : { ...(data as object), ...beside })
}

/** Written out where nothing stands beside: this is on every answer's way. */
function enveloped(success: Success, status: number, requestId: string): string {
  const data = success.data ?? {}
  if (success.beside === undefined) {
    const text = JSON.stringify(data)
    return `{"status":"success","code":${status},"data":${text},"request_id":"${requestId}"}`
  }
  const { beside } = success
  return JSON.stringify({ status: 'success', code: status, ...beside, data, request_id: requestId })
}
