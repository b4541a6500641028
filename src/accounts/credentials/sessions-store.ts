import {
  as,
  bool,
  bytes,
  columns,
  int,
  oneOf,
  optional,
  orNull,
  text,
  time,
  type RowOf,
} from '../../db/columns.ts'
import type { Tx } from '../../db/db.ts'
import { deleteOldest } from '../../db/purge-store.ts'

export const SESSIONS_CHANNEL = 'sessions_changed'
const REFRESH_LIFE_S = 30 * 24 * 3600
/** As long as the access token with which a guest session began. */
const GUEST_LIFE_S = 15 * 60
const GRACE_S = 10
/** A refresh whose answer was lost must not look like theft: the page sends the old token again. */
const COOKIE_GRACE_S = 120

/** Of an operator, from the sign-in on, however often the token is exchanged. */
const OPERATOR_HOURS = 12

export type SessionHolder = { accountId: string; role: 'user' | 'admin' }

/**
 * Whether a row of `sessions` can be used: the one condition for whatever asks, so that a session
 * of an operator, or of whoever becomes one, is over everywhere at the same moment.
 */
export const IS_LIVE = `(sessions.ended_at is null and sessions.expires_at > now() and (
  sessions.created_at > now() - interval '${OPERATOR_HOURS} hours' or not exists (
    select from operators operator where operator.account_id = sessions.account_id)))`

/** How long its refresh token can be exchanged: a customer's, a guest's, an operator's. */
const LIFE_S = `floor(extract(epoch from least(expires_at, (
  select sessions.created_at + interval '${OPERATOR_HOURS} hours' from operators operator
  where operator.account_id = sessions.account_id)) - now()))::int4`

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
  live: as(IS_LIVE, bool),
  lifeS: as(LIFE_S, int),
  /** Its token is in a browser's cookie, and works only from there. */
  cookie: bool,
  guest: bool,
})
export type SessionRow = RowOf<typeof SESSION>

/** Resolves to the seconds for which its refresh token can be exchanged. */
export async function insertSession(
  tx: Tx,
  session: {
    id: string
    accountId: string
    salt: Buffer
    place: Place
    /** The owner is notified of it. */
    ownerNotified: boolean
    /** By which second factor it was opened, if by any. */
    secondFactor: FactorKind | undefined
    guest: boolean
    cookie: boolean
    browser: string | undefined
    system: string | undefined
    /** The network, for its owner to read. */
    seenFrom: string | undefined
  },
): Promise<number> {
  const rows = await tx.query<{ life_s: number }>(
    `insert into sessions (id, account_id, refresh_salt, network, device, owner_notified, second_factor_at,
       second_factor_by_message, cookie, browser, system, guest, seen_from, confirmed_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, case when $7 then now() end, $8, $9, $10, $11, $12, $13,
       case when not $12 then now() end,
       now() + case when $12 then ${GUEST_LIFE_S} else ${REFRESH_LIFE_S} end * interval '1 second')
     returning ${LIFE_S} as life_s`,
    [
      session.id,
      session.accountId,
      session.salt,
      session.place.network,
      session.place.device,
      session.ownerNotified,
      session.secondFactor !== undefined,
      session.secondFactor === 'message',
      session.cookie,
      session.browser ?? null,
      session.system ?? null,
      session.guest,
      session.seenFrom ?? null,
    ],
  )
  return rows[0]!.life_s
}

/** How long a second factor, the password or a sign-in counts as just given. */
export const FRESH_S = 600

/** A thing that its owner has, or a code that was sent and may be read by others on its way. */
export type FactorKind = 'device' | 'message'

/** What the holder of a session has shown within the last ten minutes. */
const SHOWN = columns({
  /** To be the owner: a sign-in, or the password. */
  owner: as(`coalesce(confirmed_at > now() - ${FRESH_S} * interval '1 second', false)`, bool),
  secondFactor: as(
    `case when second_factor_at > now() - ${FRESH_S} * interval '1 second'
       then case when second_factor_by_message then 'message' else 'device' end end`,
    orNull(oneOf<FactorKind>()),
  ),
  guest: bool,
})
export type Shown = RowOf<typeof SHOWN>

/** Undefined once the session is over. */
export async function readShown(tx: Tx, id: string): Promise<Shown | undefined> {
  const rows = await tx.read(`select ${SHOWN.list} from sessions where id = $1 and ${IS_LIVE}`, [
    id,
  ])
  return SHOWN.first(rows)
}

export async function markConfirmed(tx: Tx, id: string): Promise<void> {
  await tx.query('update sessions set confirmed_at = now() where id = $1', [id])
}

export async function markSecondFactor(tx: Tx, id: string, kind: FactorKind): Promise<void> {
  await tx.query(
    'update sessions set second_factor_at = now(), second_factor_by_message = $2 where id = $1',
    [id, kind === 'message'],
  )
}

/** A new second factor is one that no session has passed yet, but for the one that changes it. */
export async function forgetSecondFactors(
  tx: Tx,
  accountId: string,
  exceptId?: string,
): Promise<void> {
  await tx.query(
    `update sessions set second_factor_at = null
     where account_id = $1 and ($2::uuid is null or id <> $2)`,
    [accountId, exceptId ?? null],
  )
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
     where account_id = $1 and ${IS_LIVE}
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
    `select sessions.account_id as "accountId", a.role
     from sessions join accounts a on a.id = sessions.account_id
     where sessions.id = $1 and ${IS_LIVE}
       and a.status = 'active' and a.deleted_at is null`,
    [sessionId],
  )
  return row
}

export async function lockSession(tx: Tx, id: string): Promise<SessionRow | undefined> {
  const rows = await tx.read(`select ${SESSION.list} from sessions where id = $1 for update`, [id])
  return SESSION.first(rows)
}

/** Also one that has ended. */
export async function findSession(tx: Tx, id: string): Promise<SessionRow | undefined> {
  const rows = await tx.read(`select ${SESSION.list} from sessions where id = $1`, [id])
  return SESSION.first(rows)
}

/** The account has been signed in to by this kind of device from this network. */
export async function isKnownDevice(tx: Tx, accountId: string, device: Buffer): Promise<boolean> {
  const [row] = await tx.read<{ known: boolean }>(
    'select exists (select from sessions where account_id = $1 and device = $2) as known',
    [accountId, device],
  )
  return row!.known
}

/** Resolves to the seconds for which the next refresh token can be exchanged. */
export async function rotateSession(tx: Tx, id: string): Promise<number> {
  const rows = await tx.query<{ life_s: number }>(
    `update sessions set refresh_counter = refresh_counter + 1, rotated_at = now(),
       expires_at = case when guest then expires_at
         else now() + ${REFRESH_LIFE_S} * interval '1 second' end
     where id = $1 returning ${LIFE_S} as life_s`,
    [id],
  )
  return rows[0]!.life_s
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

export type EndReason =
  | 'logout'
  | 'reuse'
  | 'password'
  | 'deleted'
  | 'operator'
  | 'restored'
  | 'undone'

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
