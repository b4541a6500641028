import type { Tx } from './db.ts'

/**
 * What the service relies on in a session, whatever the server, the database or the role has as its
 * own. The limits are short on purpose: a slow or locked statement ends as 503, never as a pile of
 * waiters. Statements are short too, and the compiler (`jit`) that PostgreSQL has on by default
 * compiled the sums of activity anew at every run: a third of a core on an idle service. Days, hours
 * and times as text are read in UTC and in the ISO form, and a statement behind a lock must see what
 * its holder has committed.
 */
const SESSION = {
  statement_timeout: '5s',
  lock_timeout: '2s',
  idle_in_transaction_session_timeout: '10s',
  jit: 'off',
  TimeZone: 'UTC',
  DateStyle: 'ISO, MDY',
  default_transaction_isolation: 'read committed',
}

/** The address with these settings, behind options of its own: the last one counts. */
export function withSession(url: string): string {
  const [address, query] = url.split('?', 2)
  const params = new URLSearchParams(query)
  const ours = Object.entries(SESSION).map(
    ([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`,
  )
  params.set('options', [...params.getAll('options'), ...ours].join(' '))
  return `${address}?${params.toString()}`
}

/** Settings that are otherwise all the same: a pooler leaves out what a connection asks for. */
export async function lostSettings(tx: Tx): Promise<string[]> {
  const rows = await tx.read<{ name: string; value: string }>(
    'select name, current_setting(name) as value from unnest($1::text[]) as asked (name)',
    [Object.keys(SESSION)],
  )
  return rows
    .filter(({ name, value }) => value !== SESSION[name as keyof typeof SESSION])
    .map(({ name, value }) => `${name} = ${value}`)
}
