import {
  as,
  bool,
  columns,
  int,
  oneOf,
  optional,
  orNull,
  text,
  time,
  type RowOf,
} from '../db/columns.ts'
import type { Tx } from '../db/db.ts'
import { deleteOldest } from '../db/purge-store.ts'
import type { NoticeCategory } from './notice.ts'
import type { Channel, Message } from './sender.ts'

export const OUTBOX_CHANNEL = 'mlango_outbox'

/** The same `id` is never inserted twice. */
export type NewMessage = Omit<Message, 'createdAt'> & {
  accountId?: string | undefined
  /** The category of a notice; undefined for a code. */
  notice?: NoticeCategory | undefined
  /** The in-app notification that this message repeats. */
  notificationId?: string | undefined
  /** For codes: after this the message is worthless, so it is dropped and erased. */
  expiresInS?: number | undefined
}

const CLAIMED = columns({
  id: text,
  channel: oneOf<Channel>(),
  to: as('recipient', text),
  subject: as("coalesce(subject, '')", text),
  text: as('body', text),
  html: optional(text),
  createdAt: time,
  leaseId: text,
  attempts: int,
  expired: as('coalesce(expires_at <= now(), false)', bool),
  notice: optional(oneOf<NoticeCategory>()),
})
export type ClaimedMessage = RowOf<typeof CLAIMED>

const LISTED = columns({
  id: text,
  channel: oneOf<Channel>(),
  recipient: text,
  /** `folded`: an SMS beyond the account's share of the day, counted in its digest. */
  state: oneOf<'waiting' | 'sent' | 'dead' | 'folded'>(),
  attempts: int,
  lastError: orNull(text),
  resendable: as('body is not null', bool),
  createdAt: time,
  nextTryAt: time,
})
export type OutboxRow = RowOf<typeof LISTED>

/**
 * Puts a message in the outbox in the caller's transaction. It goes out when that commits: the NOTIFY
 * wakes the delivery worker once the row is visible.
 */
export async function insertMessage(tx: Tx, message: NewMessage): Promise<void> {
  await tx.query(
    `with put as (
       insert into outbox (id, channel, account_id, recipient, subject, body, html, expires_at,
         notice, notification_id)
       values ($1, $2, $3, $4, $5, $6, $7, now() + $8::float8 * interval '1 second', $9, $10)
       on conflict (id) do nothing
       returning channel
     )
     select pg_notify('${OUTBOX_CHANNEL}', channel) from put`,
    [
      message.id,
      message.channel,
      message.accountId ?? null,
      message.to,
      message.subject,
      message.text,
      message.html ?? null,
      message.expiresInS ?? null,
      message.notice ?? null,
      message.notificationId ?? null,
    ],
  )
}

/** Claims the message that has waited longest. After a crash it is tried again when its lease ends. */
export async function claimMessage(
  tx: Tx,
  claim: { channel: Channel; leaseId: string; leaseMs: number },
): Promise<ClaimedMessage | undefined> {
  const rows = await tx.query(
    `update outbox set lease_id = $2, attempts = attempts + 1,
       next_try_at = now() + $3::float8 * interval '1 millisecond'
     where id = (
       select id from outbox
       where state = 'waiting' and channel = $1 and next_try_at <= now()
       order by next_try_at limit 1 for update skip locked
     )
     returning ${CLAIMED.list}`,
    [claim.channel, claim.leaseId, claim.leaseMs],
  )
  return CLAIMED.first(rows)
}

/** Marks the in-app notification as sent by this channel. */
export async function markSent(tx: Tx, claim: LeasedMessage): Promise<void> {
  await tx.query(
    `with sent as (
       update outbox set state = 'sent', subject = null, body = null, html = null, lease_id = null,
         last_error = null, finished_at = now()
       where id = $1 and lease_id = $2
       returning notification_id, channel
     )
     update notifications set sent_by = array_append(sent_by, channel)
     from sent where notifications.id = notification_id and channel <> all (sent_by)`,
    [claim.id, claim.leaseId],
  )
}

export async function markForRetry(
  tx: Tx,
  claim: LeasedMessage,
  failure: { reason: string; delayMs: number },
): Promise<void> {
  await tx.query(
    `update outbox set lease_id = null, last_error = $3,
       next_try_at = now() + $4::float8 * interval '1 millisecond'
     where id = $1 and lease_id = $2`,
    [claim.id, claim.leaseId, failure.reason, failure.delayMs],
  )
}

/** An undeliverable message keeps its text for a resend, unless it expires: then it holds a code. */
export async function markDead(tx: Tx, claim: LeasedMessage, reason: string): Promise<void> {
  await tx.query(
    `update outbox set state = 'dead', lease_id = null, last_error = $3, finished_at = now(),
       subject = case when expires_at is null then subject end,
       body = case when expires_at is null then body end,
       html = case when expires_at is null then html end
     where id = $1 and lease_id = $2`,
    [claim.id, claim.leaseId, reason],
  )
}

export async function listMessages(
  tx: Tx,
  filter: { state: OutboxRow['state'] | undefined; limit: number },
): Promise<OutboxRow[]> {
  const rows = await tx.read(
    `select ${LISTED.list} from outbox where ($1::text is null and state in ('waiting', 'dead')) or state = $1
     order by created_at desc, id desc limit $2`,
    [filter.state ?? null, filter.limit],
  )
  return LISTED.all(rows)
}

/** Messages to one account, newest first. */
export async function listMessagesOf(
  tx: Tx,
  accountId: string,
  limit: number,
): Promise<OutboxRow[]> {
  const rows = await tx.read(
    `select ${LISTED.list} from outbox where account_id = $1 order by created_at desc limit $2`,
    [accountId, limit],
  )
  return LISTED.all(rows)
}

/** True when there was an undeliverable message whose text is still there. */
export async function reviveMessage(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query(
    `with back as (
       update outbox set state = 'waiting', attempts = 0, next_try_at = now(), last_error = null,
         finished_at = null
       where id = $1 and state = 'dead' and body is not null
       returning channel
     )
     select pg_notify('${OUTBOX_CHANNEL}', channel) from back`,
    [id],
  )
  return rows.length > 0
}

/** Sent messages are deleted after a week; failed ones can be sent again for three months. */
export function purgeMessages(tx: Tx, batch: number): Promise<number> {
  return deleteOldest(tx, batch, {
    table: 'outbox',
    where: `state <> 'waiting' and finished_at <
       now() - case state when 'dead' then interval '90 days' else interval '7 days' end`,
    order: 'finished_at',
  })
}

type LeasedMessage = { id: string; leaseId: string }
