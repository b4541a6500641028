import { as, columns, json, oneOf, orNull, text, texts, time, type RowOf } from '../db/columns.ts'
import type { Tx } from '../db/db.ts'
import { deleteOldest } from '../db/purge-store.ts'
import type { NoticeType } from './notice.ts'
import type { Preferences } from './preferences-store.ts'
import { preferencesFrom } from './preferences-store.ts'

const RECIPIENT = columns({
  email: as('case when email_verified_at is not null then email end', orNull(text)),
  phone: as(
    'case when phone_verified_at is not null then phone_number else login_phone end',
    orNull(text),
  ),
  /** Differs from `phone` while a number waits that nobody confirmed. */
  loginPhone: orNull(text),
  locale: orNull(text),
})
export type Recipient = RowOf<typeof RECIPIENT> & {
  /** Undefined when they were never changed: the defaults apply. */
  preferences: Preferences | undefined
}

const NOTIFICATION = columns({
  id: text,
  type: oneOf<NoticeType>(),
  title: text,
  body: text,
  data: json<Record<string, unknown>>(),
  createdAt: time,
  readAt: orNull(time),
  /** The channels by which it has also gone out. */
  sentBy: texts,
})
export type Notification = RowOf<typeof NOTIFICATION>

/**
 * Only verified addresses: an unverified one may be somebody else's. While a new number waits for
 * its code, the one verified before is used.
 */
export async function readRecipient(tx: Tx, accountId: string): Promise<Recipient | undefined> {
  const [row] = await tx.read(
    `select ${RECIPIENT.list}, p.*
     from accounts a left join notification_preferences p on p.account_id = a.id
     where a.id = $1 and a.deleted_at is null`,
    [accountId],
  )
  if (!row) return undefined
  const preferences = row.account_id === null ? undefined : preferencesFrom(row)
  return { ...RECIPIENT.from(row), preferences }
}

export async function insertNotification(
  tx: Tx,
  notification: Pick<Notification, 'id' | 'type' | 'title' | 'body'> & {
    accountId: string
    data: object
  },
): Promise<void> {
  const { id, accountId, type, title, body, data } = notification
  await tx.query(
    `insert into notifications (id, account_id, type, title, body, data)
     values ($1, $2, $3, $4, $5, $6)`,
    [id, accountId, type, title, body, JSON.stringify(data)],
  )
}

export async function listNotifications(
  tx: Tx,
  page: { accountId: string; unread: boolean | undefined; limit: number; offset: number },
): Promise<Notification[]> {
  const rows = await tx.read(
    `select ${NOTIFICATION.list} from notifications
     where account_id = $1 and ($2::boolean is null or (read_at is null) = $2)
     order by id desc limit $3 offset $4`,
    [page.accountId, page.unread ?? null, page.limit, page.offset],
  )
  return NOTIFICATION.all(rows)
}

export async function countNotifications(
  tx: Tx,
  accountId: string,
): Promise<{ all: number; unread: number }> {
  const [row] = await tx.read<{ all: number; unread: number }>(
    `select count(*)::int as all, (count(*) filter (where read_at is null))::int as unread
     from notifications where account_id = $1`,
    [accountId],
  )
  return row!
}

/** A notification that is read again keeps the time of the first reading. */
export async function markNotificationRead(
  tx: Tx,
  { accountId, id }: { accountId: string; id: string },
): Promise<Notification | undefined> {
  const rows = await tx.query(
    `update notifications set read_at = coalesce(read_at, now()) where id = $1 and account_id = $2
     returning ${NOTIFICATION.list}`,
    [id, accountId],
  )
  return NOTIFICATION.first(rows)
}

export async function deleteNotifications(tx: Tx, accountId: string): Promise<void> {
  await tx.query('delete from notifications where account_id = $1', [accountId])
}

/** Returns how many there were. */
export async function markAllRead(tx: Tx, accountId: string): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `with marked as (
       update notifications set read_at = now() where account_id = $1 and read_at is null returning 1
     ) select count(*)::int as count from marked`,
    [accountId],
  )
  return row!.count
}

export function purgeNotifications(tx: Tx, batch: number, days: number): Promise<number> {
  return deleteOldest(tx, batch, {
    table: 'notifications',
    where: 'created_at < now() - make_interval(days => $2::int)',
    order: 'created_at',
    params: [days],
  })
}

/** Returns the accounts that had not been warned since their last top-up. */
export async function insertBalanceWarnings(tx: Tx, accountIds: string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `insert into balance_warnings (account_id) select unnest($1::uuid[])
     on conflict do nothing returning account_id as id`,
    [accountIds],
  )
  return rows.map(({ id }) => id)
}

export async function deleteBalanceWarnings(tx: Tx, accountIds: string[]): Promise<void> {
  await tx.query('delete from balance_warnings where account_id = any($1::uuid[])', [accountIds])
}

/** Says whether the account had not been told since `before`. */
export async function noteAllowanceTold(
  tx: Tx,
  { accountId, at, before }: { accountId: string; at: Date; before: Date },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into allowance_notices as known (account_id, told_at) values ($1, $2)
     on conflict (account_id) do update set told_at = excluded.told_at where known.told_at <= $3
     returning account_id`,
    [accountId, at, before],
  )
  return rows.length > 0
}
