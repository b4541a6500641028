import {
  as,
  bool,
  columns,
  optional,
  orNull,
  text,
  texts,
  time,
  type RowOf,
} from '../db/columns.ts'
import type { Tx } from '../db/db.ts'
import { WEBHOOK_CHANNEL } from './deliveries-store.ts'

const ENDPOINT = columns({
  id: text,
  url: text,
  description: text,
  events: texts,
  enabled: bool,
  /** It answered 410, and nobody has switched it on since. */
  goneAt: orNull(time),
  /** Until then the previous secret signs too. */
  previousUntil: as('case when previous_until > now() then previous_until end', optional(time)),
  createdAt: time,
})
export type WebhookEndpoint = RowOf<typeof ENDPOINT>

export type NewEndpoint = Pick<WebhookEndpoint, 'id' | 'url' | 'description' | 'events'> & {
  secret: Buffer
}

export async function insertEndpoint(tx: Tx, endpoint: NewEndpoint): Promise<WebhookEndpoint> {
  const { id, url, description, events, secret } = endpoint
  const [row] = await tx.query(
    `insert into webhook_endpoints (id, url, description, events, secret)
     values ($1, $2, $3, $4, $5) returning ${ENDPOINT.list}`,
    [id, url, description, events, secret],
  )
  return ENDPOINT.from(row!)
}

export async function countEndpoints(tx: Tx): Promise<number> {
  const [row] = await tx.read<{ count: number }>(
    'select count(*)::int as count from webhook_endpoints',
  )
  return row!.count
}

/** Oldest first; there are few. */
export async function listEndpoints(tx: Tx): Promise<WebhookEndpoint[]> {
  const rows = await tx.read(`select ${ENDPOINT.list} from webhook_endpoints order by id`)
  return ENDPOINT.all(rows)
}

export async function lockEndpoint(tx: Tx, id: string): Promise<WebhookEndpoint | undefined> {
  const rows = await tx.read(
    `select ${ENDPOINT.list} from webhook_endpoints where id = $1 for no key update`,
    [id],
  )
  return ENDPOINT.first(rows)
}

/** What waited while it was switched off goes out now, and it is no longer taken for gone. */
export async function updateEndpoint(tx: Tx, endpoint: WebhookEndpoint): Promise<void> {
  const { id, url, description, events, enabled } = endpoint
  await tx.query(
    `update webhook_endpoints set url = $2, description = $3, events = $4, enabled = $5,
       gone_at = case when $5 then null else gone_at end
     where id = $1`,
    [id, url, description, events, enabled],
  )
  if (enabled) await tx.query(`select pg_notify('${WEBHOOK_CHANNEL}', $1)`, [id])
}

/** Switches it off for good. False when it is off already, or has got another address meanwhile. */
export async function disableGone(tx: Tx, { id, url }: Pick<WebhookEndpoint, 'id' | 'url'>) {
  const rows = await tx.query(
    `update webhook_endpoints set enabled = false, gone_at = now()
     where id = $1 and url = $2 and enabled returning id`,
    [id, url],
  )
  return rows.length === 1
}

export async function deleteEndpoint(tx: Tx, id: string): Promise<boolean> {
  const rows = await tx.query('delete from webhook_endpoints where id = $1 returning id', [id])
  return rows.length === 1
}

/** The current secret keeps signing beside the new one for this long; an older one is dropped. */
export async function changeSecret(
  tx: Tx,
  { id, secret, overlapS }: { id: string; secret: Buffer; overlapS: number },
): Promise<Date> {
  const [row] = await tx.query<{ previous_until: Date }>(
    `update webhook_endpoints set previous_secret = secret, secret = $2,
       previous_until = now() + make_interval(secs => $3)
     where id = $1 returning previous_until`,
    [id, secret, overlapS],
  )
  return row!.previous_until
}

/** Secrets whose time is over are erased. */
export async function eraseSpentSecrets(tx: Tx): Promise<number> {
  const rows = await tx.query(
    `update webhook_endpoints set previous_secret = null, previous_until = null
     where previous_until <= now() returning id`,
  )
  return rows.length
}

export type SealedSecrets = { id: string; secret: Uint8Array; previous: Uint8Array | null }

export async function lockSecrets(tx: Tx): Promise<SealedSecrets[]> {
  return tx.read<SealedSecrets>(
    `select id, secret, previous_secret as previous from webhook_endpoints
     order by id for no key update`,
  )
}

export async function writeSecrets(tx: Tx, { id, secret, previous }: SealedSecrets): Promise<void> {
  await tx.query('update webhook_endpoints set secret = $2, previous_secret = $3 where id = $1', [
    id,
    secret,
    previous,
  ])
}
