import { fieldsOf, isFields, listOf, textOf, type Fields } from '../../lib/json.ts'
import {
  hintInWords,
  retryAfterSeconds,
  classifyStatus,
  type ErrorHint,
} from '../contract/error-status.ts'
import type { StatusError, ErrorCategory } from '../contract/upstream-error.ts'

export function classifyGeminiError({ status, body, retryAfterS }: StatusError): ErrorCategory {
  const error = errorFields(body)
  const details = listOf(error.details).filter(isFields)
  const delayS = details.map(({ retryDelay }) => retryAfterSeconds(retryDelay, 0)).find(Boolean)
  const meant = status >= 400 ? status : 500
  return classifyStatus(meant, hintOf(error, details), retryAfterS ?? delayS)
}

export function geminiErrorMessage({ body }: StatusError): string | undefined {
  return textOf(errorFields(body).message)
}

function errorFields(body: unknown): Fields {
  const first: unknown = Array.isArray(body) ? body[0] : body
  return fieldsOf(fieldsOf(first).error)
}

function hintOf(error: Fields, details: readonly Fields[]): ErrorHint {
  if (error.status === 'BLOCKED') return { rejected: 'content_policy' }
  if (details.some(({ reason }) => reason === 'API_KEY_INVALID' || reason === 'API_KEY_EXPIRED')) {
    return { account: 'key_refused' }
  }
  if (error.status === 'FAILED_PRECONDITION') return { account: 'forbidden' }
  return error.status === 'INVALID_ARGUMENT' ? hintInWords(textOf(error.message) ?? '') : undefined
}
