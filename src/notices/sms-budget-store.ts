import type { Tx } from '../db/db.ts'
import { deleteOldest } from '../db/purge-store.ts'
import type { ClaimedMessage } from './outbox-store.ts'

/**
 * Counts a notice against the account's limit for the day; false when the limit is reached. The count
 * and the mark on the message are one statement, so a retry after a crash does not count it twice.
 */
export async function takeNoticePlace(
  tx: Tx,
  { id, leaseId }: ClaimedMessage,
  day: { most: number; timeZone: string },
): Promise<boolean> {
  const [row] = await tx.query<{ taken: boolean | null }>(
    `with message as (
       select account_id, counted from outbox where id = $1 and lease_id = $2 for update
     ), place as (
       insert into sms_notice_days as d (account_id, day, sent)
       select account_id, (now() at time zone $4)::date, 1 from message where not counted
       on conflict (account_id, day) do update set sent = d.sent + 1 where d.sent < $3
       returning account_id
     ), counted as (
       update outbox set counted = true where id = $1 and exists (select from place) returning id
     )
     select exists (select from counted) or (select counted from message) as taken`,
    [id, leaseId, day.most, day.timeZone],
  )
  return row?.taken ?? false
}

/** The message is not sent; the digest will count it. */
export async function foldNotice(
  tx: Tx,
  { id, leaseId }: ClaimedMessage,
  timeZone: string,
): Promise<void> {
  await tx.query(
    `with gone as (
       update outbox set state = 'folded', subject = null, body = null, html = null,
         lease_id = null, last_error = null, finished_at = now()
       where id = $1 and lease_id = $2 returning account_id
     )
     insert into sms_notice_days as d (account_id, day, folded)
     select account_id, (now() at time zone $3)::date, 1 from gone
     on conflict (account_id, day) do update set folded = d.folded + 1, digested_at = null`,
    [id, leaseId, timeZone],
  )
}

export type Digest = { accountId: string; count: number }

/** Takes up to `limit` past days without a digest, from eight in the morning on. */
export async function takeDigests(
  tx: Tx,
  { timeZone, limit }: { timeZone: string; limit: number },
): Promise<Digest[]> {
  return tx.query<Digest>(
    `update sms_notice_days set digested_at = now()
     where (account_id, day) in (
       select account_id, day from sms_notice_days
       where folded > 0 and digested_at is null
         and day < (now() at time zone $1 - interval '8 hours')::date
       order by day limit $2 for update skip locked)
     returning account_id as "accountId", folded as count`,
    [timeZone, limit],
  )
}

export function purgeSmsNotices(tx: Tx, batch: number): Promise<number> {
  const where = 'day < now()::date - 30'
  return deleteOldest(tx, batch, { table: 'sms_notice_days', where, order: 'day' })
}
