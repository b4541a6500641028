import { fieldsOf, parseForeignJson, textOf, type Fields } from '../../lib/json.ts'

const LONGEST_USER = 2_000
const OLDER = '_session_'

/** Claude Code writes it beside the user: `user_…_account_…_session_…`, or an object as JSON. */
export function sessionOfUser(metadata: unknown): string | undefined {
  const { user_id: user } = fieldsOf(metadata)
  if (typeof user !== 'string' || user.length > LONGEST_USER) return undefined
  if (!user.startsWith('{')) return olderSession(user)
  return textOf(jsonFields(user).session_id) || undefined
}

function olderSession(user: string): string | undefined {
  const at = user.lastIndexOf(OLDER)
  const session = user.slice(at + OLDER.length)
  return at >= 0 && /^[\w-]+$/.test(session) ? session : undefined
}

function jsonFields(text: string): Fields {
  try {
    return fieldsOf(parseForeignJson(text))
  } catch {
    return {}
  }
}
