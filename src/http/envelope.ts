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
  const headers: Record<string, string> = {
    'content-type': JSON_TYPE,
    'x-request-id': shape.requestId,
    ...success.headers,
  }
  if (shape.dialect === 'compatible') {
    const whole = success.beside ? { ...(success.data as object), ...success.beside } : success.data
    return { status, headers, body: JSON.stringify(whole) }
  }
  const body = JSON.stringify({
    status: 'success',
    code: status,
    ...success.beside,
    data: success.data ?? {},
    request_id: shape.requestId,
  })
  return { status, headers, body }
}
