import { bool, columns, int, optional, text, time, type RowOf } from '../../db/columns.ts'
import type { Tx } from '../../db/db.ts'

const EVENT = columns({
  /** Of the session, key or notice. */
  id: text,
  type: text,
  at: time,
  /** Of a notice, in the language in which it was written. */
  title: optional(text),
  browser: optional(text),
  system: optional(text),
  seenFrom: optional(text),
  newNetwork: optional(bool),
  reason: optional(text),
  name: optional(text),
  last4: optional(text),
})
export type SecurityEvent = RowOf<typeof EVENT>

/**
 * What has happened to the ways into an account, newest first. Nothing is written for it: it is read
 * from the sessions, the keys and the notices, and goes when they go.
 */
export async function listSecurityEvents(
  tx: Tx,
  { accountId, limit, offset }: { accountId: string; limit: number; offset: number },
): Promise<{ events: SecurityEvent[]; total: number }> {
  const rows = await tx.read(
    `${EVENTS} select ${EVENT.list} from events order by at desc, id desc, type limit $2 offset $3`,
    [accountId, limit, offset],
  )
  const count = columns({ total: int })
  const [counted] = await tx.read(`${EVENTS} select count(*)::int as ${count.list} from events`, [
    accountId,
  ])
  return { events: EVENT.all(rows), total: count.from(counted!).total }
}

/** Sign-ins and new keys have notices too, which would name them twice. */
const EVENTS = `with events as (
  select id, 'session.opened' as type, created_at as at, null as title, browser, system, seen_from,
    row_number() over (partition by network order by created_at, id) = 1 as new_network,
    null as reason, null as name, null as last4
  from sessions where account_id = $1
  union all
  select id, 'session.ended', ended_at, null, browser, system, seen_from, null, end_reason, null, null
  from sessions where account_id = $1 and ended_at is not null
  union all
  select id, 'api_key.created', created_at, null, null, null, null, null, null, name, last4
  from api_keys where account_id = $1
  union all
  select id, 'api_key.revoked', revoked_at, null, null, null, null, null, null, name, last4
  from api_keys where account_id = $1 and revoked_at is not null
  union all
  select id, type, created_at, title, null, null, null, null, null, null, null
  from notifications where account_id = $1 and type like 'security.%'
    and (type <> 'security.new_login' or data ? 'linked')
)`
