import {
  as,
  bool,
  bytes,
  columns,
  int,
  optional,
  text,
  time,
  type RowOf,
} from '../../db/columns.ts'
import type { Tx } from '../../db/db.ts'
import { deleteOldest } from '../../db/purge-store.ts'

export const SESSIONS_CHANNEL = 'sessions_changed'
export const REFRESH_LIFE_S = 30 * 24 * 3600
const GRACE_S = 10
/** A refresh whose answer was lost must not look like theft: the page sends the old token again. */
const COOKIE_GRACE_S = 120

export type SessionHolder = { accountId: string; role: 'user' | 'admin' }

const SESSION = columns({
  id: text,
  accountId: text,
  salt: as('refresh_salt', bytes),
  counter: as('refresh_counter', int),
  /** Its token was rotated so short a time ago that the one before is still good. */
  justRotated: as(
    `rotated_at > now() - interval '1 second' *
       case when cookie then ${COOKIE_GRACE_S} else ${GRACE_S} end`,
    bool,
  ),
  live: as('ended_at is null and expires_at > now()', bool),
  /** Its token is in a browser's cookie, and works only from there. */
  cookie: bool,
})
export type SessionRow = RowOf<typeof SESSION>

export async function insertSession(
  tx: Tx,
  session: {
    id: string
    accountId: string
    salt: Buffer
    place: Place
    /** The owner is notified of it. */
    ownerNotified: boolean
    /** It was opened with a second factor. */
    secondFactor: boolean
    cookie: boolean
    browser: string | undefined
    system: string | undefined
    /** The network, for its owner to read. */
    seenFrom: string | undefined
  },
): Promise<void> {
  await tx.query(
    `insert into sessions (id, account_id, refresh_salt, network, device, owner_notified, second_factor_at,
       cookie, browser, system, seen_from, expires_at)
     values ($1, $2, $3, $4, $5, $6, case when $7 then now() end, $8, $9, $10, $11,
       now() + ${REFRESH_LIFE_S} * interval '1 second')`,
    [
      session.id,
      session.accountId,
      session.salt,
      session.place.network,
      session.place.device,
      session.ownerNotified,
      session.secondFactor,
      session.cookie,
      session.browser ?? null,
      session.system ?? null,
      session.seenFrom ?? null,
    ],
  )
}

/** How long a second factor counts as just given. */
export const FRESH_S = 600

export async function markSecondFactor(tx: Tx, id: string): Promise<void> {
  await tx.query('update sessions set second_factor_at = now() where id = $1', [id])
}

/** A new second factor is one that no session has passed yet. */
export async function forgetSecondFactors(tx: Tx, accountId: string): Promise<void> {
  await tx.query('update sessions set second_factor_at = null where account_id = $1', [accountId])
}

/** The session passed the second factor within the last ten minutes. */
export async function passedSecondFactor(tx: Tx, id: string): Promise<boolean> {
  const [row] = await tx.read<{ passed: boolean | null }>(
    `select second_factor_at > now() - ${FRESH_S} * interval '1 second' as passed
     from sessions where id = $1`,
    [id],
  )
  return row?.passed ?? false
}

/** The session was opened within the last ten minutes. */
export async function isFreshSession(tx: Tx, id: string): Promise<boolean> {
  const [row] = await tx.read<{ fresh: boolean }>(
    `select created_at > now() - interval '10 minutes' as fresh from sessions where id = $1`,
    [id],
  )
  return row?.fresh ?? false
}

const LIVE_SESSION = columns({
  id: text,
  browser: optional(text),
  system: optional(text),
  cookie: bool,
  createdAt: time,
  /** When its refresh token was last used. */
  usedAt: as('rotated_at', time),
})
export type LiveSession = RowOf<typeof LIVE_SESSION>

/** The one used last first. There are at most a hundred. */
export async function listSessions(tx: Tx, accountId: string): Promise<LiveSession[]> {
  const rows = await tx.read(
    `select ${LIVE_SESSION.list} from sessions
     where account_id = $1 and ended_at is null and expires_at > now()
     order by rotated_at desc, id desc`,
    [accountId],
  )
  return LIVE_SESSION.all(rows)
}

/** Keyed hashes of where a sign-in comes from: its network, and the kind of device within it. */
export type Place = { network: Buffer; device: Buffer }

export type SignInHistory = {
  /** No session is remembered. */
  none: boolean
  knownNetwork: boolean
  knownDevice: boolean
  /** The owner was notified of a sign-in within the last day. */
  notifiedToday: boolean
}

export async function signInHistory(
  tx: Tx,
  accountId: string,
  { network, device }: Place,
): Promise<SignInHistory> {
  const [row] = await tx.read<{ sessions: bigint } & Record<string, boolean | null>>(
    `select count(*) as sessions, bool_or(network = $2) as network, bool_or(device = $3) as device,
       bool_or(owner_notified and created_at > now() - interval '1 day') as owner_notified
     from sessions where account_id = $1`,
    [accountId, network, device],
  )
  return {
    none: row?.sessions === 0n,
    knownNetwork: row?.network ?? false,
    knownDevice: row?.device ?? false,
    notifiedToday: row?.owner_notified ?? false,
  }
}

/** The holder of a live session of an active account. */
export async function findSessionHolder(
  tx: Tx,
  sessionId: string,
): Promise<SessionHolder | undefined> {
  const [row] = await tx.query<SessionHolder>(
    `select s.account_id as "accountId", a.role from sessions s join accounts a on a.id = s.account_id
     where s.id = $1 and s.ended_at is null and s.expires_at > now()
       and a.status = 'active' and a.deleted_at is null`,
    [sessionId],
  )
  return row
}

export async function lockSession(tx: Tx, id: string): Promise<SessionRow | undefined> {
  const rows = await tx.read(`select ${SESSION.list} from sessions where id = $1 for update`, [id])
  return SESSION.first(rows)
}

export async function rotateSession(tx: Tx, id: string): Promise<void> {
  await tx.query(
    `update sessions set refresh_counter = refresh_counter + 1, rotated_at = now(),
       expires_at = now() + ${REFRESH_LIFE_S} * interval '1 second'
     where id = $1`,
    [id],
  )
}

/** Ends all but the account's `most` sessions that were used last. */
export async function endSurplusSessions(tx: Tx, accountId: string, most: number): Promise<void> {
  await tx.query(
    `with ended as (
       update sessions set ended_at = now(), end_reason = 'surplus' where id in (
         select id from sessions where account_id = $1 and ended_at is null
         order by rotated_at desc, id desc offset $2)
       returning id
     ) select pg_notify('${SESSIONS_CHANNEL}', id::text) from ended`,
    [accountId, most],
  )
}

export type EndReason = 'logout' | 'reuse' | 'password' | 'deleted' | 'operator' | 'restored'

/** False when there is no such session, or it has ended before. */
export async function endSession(
  tx: Tx,
  end: { id: string; accountId: string; reason: EndReason },
): Promise<boolean> {
  const rows = await tx.query(
    `with ended as (
       update sessions set ended_at = now(), end_reason = $3
       where id = $1 and account_id = $2 and ended_at is null returning id
     ) select pg_notify('${SESSIONS_CHANNEL}', id::text) from ended`,
    [end.id, end.accountId, end.reason],
  )
  return rows.length === 1
}

export async function endOtherSessions(
  tx: Tx,
  keep: { id: string; accountId: string; reason: EndReason },
): Promise<void> {
  await tx.query(
    `update sessions set ended_at = now(), end_reason = $3
     where account_id = $2 and id <> $1 and ended_at is null`,
    [keep.id, keep.accountId, keep.reason],
  )
  await announceSessions(tx, keep.accountId)
}

export async function endAllSessions(tx: Tx, accountId: string, reason: EndReason): Promise<void> {
  await tx.query(
    `update sessions set ended_at = now(), end_reason = $2
     where account_id = $1 and ended_at is null`,
    [accountId, reason],
  )
  await announceSessions(tx, accountId)
}

/** Of every account: how many there were. */
export async function endEverySession(tx: Tx, reason: EndReason): Promise<number> {
  const [row] = await tx.query<{ ended: number }>(
    `with ended as (
       update sessions set ended_at = now(), end_reason = $1 where ended_at is null
       returning expires_at > now() as live
     ) select count(*) filter (where live)::int as ended from ended`,
    [reason],
  )
  await announceSessions(tx, '')
  return row!.ended
}

/** Every process drops the account's sessions from its cache; those of all, without an id. */
export async function announceSessions(tx: Tx, accountId: string): Promise<void> {
  await tx.query(`select pg_notify('${SESSIONS_CHANNEL}', $1)`, [accountId])
}

/** Ended sessions stay for a while: they hold known devices, and reveal the reuse of old tokens. */
export function purgeSessions(tx: Tx, batch: number, days: number): Promise<number> {
  return deleteOldest(tx, batch, {
    table: 'sessions',
    where: 'least(ended_at, expires_at) < now() - make_interval(days => $2::int)',
    order: 'least(ended_at, expires_at)',
    params: [days],
  })
}
