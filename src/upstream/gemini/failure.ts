import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/fields.ts'
import {
  hintInWords,
  retryAfterSeconds,
  troubleByStatus,
  type ErrorHint,
} from '../contract/error-status.ts'
import type { StatusFault, Trouble } from '../contract/fault.ts'

/** `{error: {code, message, status, details}}`, sometimes wrapped in an array. */
export function geminiFailure(fault: StatusFault): Trouble {
  const body: unknown = Array.isArray(fault.body) ? fault.body[0] : fault.body
  const error = fieldsOf(fieldsOf(body).error)
  const details = listOf(error.details).filter(isFields)
  const delayS = details.map(({ retryDelay }) => retryAfterSeconds(retryDelay, 0)).find(Boolean)
  const status = fault.status >= 400 ? fault.status : 500
  return troubleByStatus(status, hintOf(error, details), fault.retryAfterS ?? delayS)
}

function hintOf(error: Fields, details: readonly Fields[]): ErrorHint {
  if (error.status === 'BLOCKED') return { rejected: 'content_policy' }
  if (details.some(({ reason }) => reason === 'API_KEY_INVALID' || reason === 'API_KEY_EXPIRED')) {
    return { account: 'key_refused' }
  }
  if (error.status === 'FAILED_PRECONDITION') return { account: 'forbidden' }
  return error.status === 'INVALID_ARGUMENT' ? hintInWords(textOf(error.message) ?? '') : undefined
}
