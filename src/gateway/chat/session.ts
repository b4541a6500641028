import { fieldsOf, parseForeignJson, textOf, type Fields } from '../../lib/json.ts'

const LONGEST_USER = 2_000
const OLDER = /_session_([\w-]+)$/

/** Claude Code writes it beside the user: `user_…_account_…_session_…`, or an object as JSON. */
export function sessionOfUser(metadata: unknown): string | undefined {
  const { user_id: user } = fieldsOf(metadata)
  if (typeof user !== 'string' || user.length > LONGEST_USER) return undefined
  if (!user.startsWith('{')) return OLDER.exec(user)?.[1]
  return textOf(jsonFields(user).session_id) || undefined
}

function jsonFields(text: string): Fields {
  try {
    return fieldsOf(parseForeignJson(text))
  } catch {
    return {}
  }
}
