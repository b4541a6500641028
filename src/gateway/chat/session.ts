import { fieldsOf, parseForeignJson, textOf, type Fields } from '../../lib/json.ts'
import type { SentHeaders } from '../gateway.ts'

/**
 * What the caller calls the conversation that a request is part of, in whatever dialect: a field or a
 * header for it, Codex's headers, or what Claude Code writes beside the user. Names of the user
 * (`user`, `safety_identifier`) are none: one user has many conversations.
 */
export function sessionIn(body: Fields, headers: SentHeaders = {}): string | undefined {
  return (
    named(body.session_id) ??
    named(headers['x-session-id']) ??
    named(body.prompt_cache_key) ??
    named(headers.session_id) ??
    named(headers['session-id']) ??
    named(headers.conversation_id) ??
    (body.metadata ? sessionOfUser(fieldsOf(body.metadata).user_id) : undefined)
  )
}

function named(value: unknown): string | undefined {
  return textOf(value) || undefined
}

const LONGEST_USER = 2_000
const OLDER = /_session_([\w-]+)$/

/** `user_…_account_…_session_…`, or an object as JSON. */
function sessionOfUser(user: unknown): string | undefined {
  if (typeof user !== 'string' || user.length > LONGEST_USER) return undefined
  return user.startsWith('{') ? named(jsonFields(user).session_id) : OLDER.exec(user)?.[1]
}

function jsonFields(text: string): Fields {
  try {
    return fieldsOf(parseForeignJson(text))
  } catch {
    return {}
  }
}
