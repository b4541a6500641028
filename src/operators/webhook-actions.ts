import type { Db, Tx } from '../db/db.ts'
import { Failure, invalidField } from '../lib/failure.ts'
import { uuidv7 } from '../lib/ids.ts'
import { sha256, type KeyList } from '../lib/secrets.ts'
import type { Reach } from '../webhooks/address.ts'
import { replayDelivery } from '../webhooks/deliveries-store.ts'
import {
  changeSecret,
  countEndpoints,
  deleteEndpoint,
  insertEndpoint,
  lockEndpoint,
  updateEndpoint,
  type WebhookEndpoint,
} from '../webhooks/endpoints-store.ts'
import { newSecret } from '../webhooks/secrets.ts'
import { withAuditLog, type AuditEvent, type RecordEvent } from './audit-log.ts'
import type { Actor } from './actor.ts'

/** What actions on webhooks need. */
export type WebhookAdminContext = { db: Db; keys: KeyList; reach: Reach }

type Reason = { reason?: string | undefined }
type Wish = Reason & { url: string; events: string[]; description?: string | undefined }

const MOST_ENDPOINTS = 20
/** Both secrets sign for so long after a change. */
const OVERLAP_S = 86_400

/** The secret is in the answer, and never again. */
export function addWebhook(
  admin: WebhookAdminContext,
  actor: Actor,
  wish: Wish,
): Promise<{ endpoint: WebhookEndpoint; secret: string }> {
  requireReach(admin, wish.url)
  return withAuditLog(admin.db, actor, async (tx, record) => {
    if ((await countEndpoints(tx)) >= MOST_ENDPOINTS) {
      throw new Failure('conflict', `There can be at most ${MOST_ENDPOINTS} webhook endpoints.`)
    }
    const id = uuidv7()
    const { shown, sealed } = newSecret(admin.keys, id)
    const { url, events, description = '' } = wish
    const endpoint = await insertEndpoint(tx, { id, url, events, description, secret: sealed })
    await record(auditEvent('webhook.add', id, wish, { after: logged(endpoint) }))
    return { endpoint, secret: shown }
  })
}

type Change = Reason & {
  url?: string | undefined
  events?: string[] | undefined
  description?: string | undefined
  enabled?: boolean | undefined
}

/** Undefined when there is no such endpoint; the same below. */
export function changeWebhook(
  admin: WebhookAdminContext,
  actor: Actor,
  { id, ...change }: Change & { id: string },
): Promise<WebhookEndpoint | undefined> {
  if (change.url !== undefined) requireReach(admin, change.url)
  return withAuditLog(admin.db, actor, async (tx, record) => {
    const before = await lockEndpoint(tx, id)
    if (!before) return undefined
    const after: WebhookEndpoint = {
      ...before,
      url: change.url ?? before.url,
      events: change.events ?? before.events,
      description: change.description ?? before.description,
      enabled: change.enabled ?? before.enabled,
    }
    await updateEndpoint(tx, after)
    const both = { before: logged(before), after: logged(after) }
    await record(auditEvent('webhook.change', id, change, both))
    return after
  })
}

/** The secret before signs too for a day. */
export function rotateWebhookSecret(
  admin: WebhookAdminContext,
  actor: Actor,
  wish: Reason & { id: string },
): Promise<{ secret: string; previousUntil: Date } | undefined> {
  return onEndpoint(admin, actor, wish.id, async (tx, record) => {
    const { shown, sealed } = newSecret(admin.keys, wish.id)
    const change = { id: wish.id, secret: sealed, overlapS: OVERLAP_S }
    const previousUntil = await changeSecret(tx, change)
    await record(auditEvent('webhook.rotate', wish.id, wish, {}))
    return { secret: shown, previousUntil }
  })
}

/** What was not delivered yet never will be. */
export async function removeWebhook(
  admin: WebhookAdminContext,
  actor: Actor,
  wish: Reason & { id: string },
): Promise<boolean> {
  const done = await onEndpoint(admin, actor, wish.id, async (tx, record, endpoint) => {
    await deleteEndpoint(tx, wish.id)
    await record(auditEvent('webhook.remove', wish.id, wish, { before: logged(endpoint) }))
    return true
  })
  return done ?? false
}

/** False when there is no such delivery, or it waits anyway. */
export async function replayWebhook(
  admin: WebhookAdminContext,
  actor: Actor,
  wish: Reason & { id: string; eventId: string },
): Promise<boolean> {
  const done = await onEndpoint(admin, actor, wish.id, async (tx, record) => {
    const { id: endpointId, eventId } = wish
    if (!(await replayDelivery(tx, { endpointId, eventId }))) return false
    await record(auditEvent('webhook.replay', endpointId, wish, { after: { event_id: eventId } }))
    return true
  })
  return done ?? false
}

export function noWebhook(): Failure {
  return new Failure('not_found', 'There is no such webhook endpoint.')
}

function onEndpoint<T>(
  { db }: WebhookAdminContext,
  actor: Actor,
  id: string,
  work: (tx: Tx, record: RecordEvent, endpoint: WebhookEndpoint) => Promise<T>,
): Promise<T | undefined> {
  return withAuditLog(db, actor, async (tx, record) => {
    const endpoint = await lockEndpoint(tx, id)
    return endpoint && work(tx, record, endpoint)
  })
}

function requireReach({ reach }: WebhookAdminContext, url: string): void {
  const why = reach.whyNot(url)
  if (why !== undefined) throw invalidField('url', why)
}

/**
 * The address as a hash, of which a change of any part shows: the log is never deleted, and an address
 * may contain a password.
 */
function logged({ url, events, enabled }: WebhookEndpoint): object {
  return { host: new URL(url).host, url_sha256: sha256(url).toString('hex'), events, enabled }
}

function auditEvent(
  action: string,
  id: string,
  { reason }: Reason,
  change: Pick<AuditEvent, 'before' | 'after'>,
): AuditEvent {
  return { action, target: { type: 'webhook', id }, reason, ...change }
}
