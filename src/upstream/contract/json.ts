import { isFields, type Fields } from '../../lib/json.ts'
import type { HttpCall, JsonAnswer } from './contract.ts'
import { UpstreamError } from './upstream-error.ts'

/** Answered in JSON unless `more` says otherwise. */
export function postJson(path: string, body: Fields, more: Partial<HttpCall> = {}): HttpCall {
  return {
    method: 'POST',
    path,
    body: JSON.stringify(body),
    expects: 'json',
    ...more,
    headers: { 'content-type': 'application/json', ...more.headers },
  }
}

export function objectIn({ json }: JsonAnswer): Fields {
  if (!isFields(json)) throw new UpstreamError('garbage', 'shape')
  return json
}
