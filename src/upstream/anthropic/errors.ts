import { fieldsOf, textOf, type Fields } from '../../lib/json.ts'
import { hintInWords, classifyStatus, type ErrorHint } from '../contract/error-status.ts'
import { StatusError, type ErrorCategory } from '../contract/upstream-error.ts'

export function classifyAnthropicError({ status, body, retryAfterS }: StatusError): ErrorCategory {
  const error = fieldsOf(fieldsOf(body).error)
  return classifyStatus(status, hintOf(error, status), retryAfterS)
}

const STATUS: Record<string, number> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}

/** An error in a 200 or inside a stream has a type instead of a status. */
export function anthropicError(body: Fields): StatusError {
  const type = textOf(fieldsOf(body.error).type) ?? ''
  return new StatusError(STATUS[type] ?? 500, body)
}

const MONEY = /credit balance|spend(ing)? limit|usage limits|billing/i

function hintOf(error: Fields, status: number): ErrorHint {
  const message = textOf(error.message) ?? ''
  const code = fieldsOf(error.details).error_code
  if (code === 'enforced_spend_limit_reached') return { account: 'out_of_money' }
  if (error.type === 'overloaded_error') return 'overloaded'
  if (status === 400 && MONEY.test(message)) return { account: 'out_of_money' }
  return status === 400 ? hintInWords(message) : undefined
}
