import { columns, int, oneOf, orNull, text, time, type RowOf } from '../db/columns.ts'
import type { Tx } from '../db/db.ts'
import { deleteOldest } from '../db/purge-store.ts'

export const WEBHOOK_CHANNEL = 'mlango_webhooks'

/** One row for each endpoint that wants it. They go out when the caller's transaction commits. */
export async function insertDeliveries(
  tx: Tx,
  event: { eventId: string; type: string; body: string },
): Promise<void> {
  await tx.query(
    `with put as (
       insert into webhook_deliveries (endpoint_id, event_id, type, body)
       select id, $1, $2::text, $3 from webhook_endpoints where enabled and $2::text = any(events)
       returning endpoint_id
     )
     select pg_notify('${WEBHOOK_CHANNEL}', endpoint_id::text) from put`,
    [event.eventId, event.type, event.body],
  )
}

/** Endpoints for which something is due. */
export async function dueEndpoints(tx: Tx): Promise<string[]> {
  const rows = await tx.read<{ id: string }>(
    `select id from webhook_endpoints where enabled and exists (
       select 1 from webhook_deliveries
       where endpoint_id = id and state = 'waiting' and next_try_at <= now())`,
  )
  return rows.map(({ id }) => id)
}

/** Where a delivery goes, with the secrets that sign it. */
type Destination = { id: string; url: string; secrets: Buffer[] }

export type ClaimedDelivery = {
  destination: Destination
  eventId: string
  body: string
  attempts: number
  leaseId: string
}

/**
 * Claims what has waited longest, unless its endpoint is off or gone. After a crash it is tried
 * again when its lease ends. The destination is read by the same statement: a delivery never goes
 * out with an address or a secret that was changed before it was written.
 */
export async function claimDelivery(
  tx: Tx,
  claim: { endpointId: string; leaseId: string; leaseS: number },
): Promise<ClaimedDelivery | undefined> {
  const [row] = await tx.query<{
    event_id: string
    body: string
    attempts: number
    url: string
    secret: Uint8Array
    previous: Uint8Array | null
  }>(
    `update webhook_deliveries set lease_id = $2, attempts = attempts + 1, last_try_at = now(),
       next_try_at = now() + make_interval(secs => $3)
     from webhook_endpoints e
     where e.id = $1 and e.enabled and endpoint_id = $1 and event_id = (
       select event_id from webhook_deliveries
       where endpoint_id = $1 and state = 'waiting' and next_try_at <= now()
       order by next_try_at limit 1 for update skip locked)
     returning event_id, body, attempts, url, secret,
       case when previous_until > now() then previous_secret end as previous`,
    [claim.endpointId, claim.leaseId, claim.leaseS],
  )
  if (!row) return undefined
  const secrets = [row.secret, ...(row.previous === null ? [] : [row.previous])]
  return {
    destination: {
      id: claim.endpointId,
      url: row.url,
      secrets: secrets.map((one) => Buffer.from(one)),
    },
    leaseId: claim.leaseId,
    eventId: row.event_id,
    body: row.body,
    attempts: row.attempts,
  }
}

export type DeliveryEnd = { state: 'delivered' | 'dead' } | { state: 'waiting'; delayMs: number }

export async function settleDelivery(
  tx: Tx,
  delivery: ClaimedDelivery,
  end: DeliveryEnd & { status: number | undefined; error: string | undefined },
): Promise<void> {
  const delayMs = end.state === 'waiting' ? end.delayMs : null
  await tx.query(
    `update webhook_deliveries set state = $4, lease_id = null, last_status = $5, last_error = $6,
       next_try_at = coalesce(now() + $7::float8 * interval '1 millisecond', next_try_at),
       finished_at = case when $4 = 'waiting' then null else now() end
     where endpoint_id = $1 and event_id = $2 and lease_id = $3`,
    [
      delivery.destination.id,
      delivery.eventId,
      delivery.leaseId,
      end.state,
      end.status ?? null,
      end.error ?? null,
      delayMs,
    ],
  )
}

const DELIVERY = columns({
  eventId: text,
  type: text,
  body: text,
  state: oneOf<'waiting' | 'delivered' | 'dead'>(),
  attempts: int,
  lastStatus: orNull(int),
  lastError: orNull(text),
  lastTryAt: orNull(time),
  nextTryAt: time,
  createdAt: time,
})
export type DeliveryRow = RowOf<typeof DELIVERY>

/** Newest first. */
export async function listDeliveries(
  tx: Tx,
  filter: {
    endpointId: string
    state: DeliveryRow['state'] | undefined
    before: string | undefined
    limit: number
  },
): Promise<DeliveryRow[]> {
  const rows = await tx.read(
    `select ${DELIVERY.list} from webhook_deliveries
     where endpoint_id = $1 and ($2::text is null or state = $2)
       and ($3::uuid is null or event_id < $3)
     order by event_id desc limit $4`,
    [filter.endpointId, filter.state ?? null, filter.before ?? null, filter.limit],
  )
  return DELIVERY.all(rows)
}

/** Sends it once more, whatever became of it; false when there is none, or it waits anyway. */
export async function replayDelivery(
  tx: Tx,
  { endpointId, eventId }: { endpointId: string; eventId: string },
): Promise<boolean> {
  const rows = await tx.query(
    `with back as (
       update webhook_deliveries set state = 'waiting', attempts = 0, next_try_at = now(),
         finished_at = null
       where endpoint_id = $1 and event_id = $2 and state <> 'waiting'
       returning endpoint_id
     )
     select pg_notify('${WEBHOOK_CHANNEL}', endpoint_id::text) from back`,
    [endpointId, eventId],
  )
  return rows.length === 1
}

/** Deliveries are deleted after a month; failed ones can be sent again for three months. */
export function purgeDeliveries(tx: Tx, batch: number): Promise<number> {
  return deleteOldest(tx, batch, {
    table: 'webhook_deliveries',
    where: `finished_at <
       now() - case state when 'dead' then interval '90 days' else interval '30 days' end`,
    order: 'finished_at',
  })
}

/** Of endpoints that were deleted. */
export function purgeOrphans(tx: Tx, batch: number): Promise<number> {
  return deleteOldest(tx, batch, {
    table: 'webhook_deliveries',
    where: 'endpoint_id not in (select id from webhook_endpoints)',
    order: 'endpoint_id, event_id',
  })
}
