import {
  addWebhook,
  changeWebhook,
  removeWebhook,
  replayWebhook,
  rotateWebhookSecret,
  type WebhookAdminContext,
} from '../operators/webhook-actions.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/db.ts'
import { isUuid } from '../lib/ids.ts'
import { reachOf } from '../webhooks/address.ts'
import { listDeliveries, type DeliveryRow } from '../webhooks/deliveries-store.ts'
import { listEndpoints, type WebhookEndpoint } from '../webhooks/endpoints-store.ts'
import { WEBHOOK_EVENTS } from '../webhooks/events.ts'
import { webhookKeys } from '../webhooks/secrets.ts'
import { command, done, failed, list, TEXT, tableRow, verb } from './command.ts'

const HELP = `webhooks list
webhooks add <url> --events <a,b|all> [--description <text>]
                      tell a system of yours what happens; prints the secret, once
webhooks change <id> [--url <url>] [--events <a,b|all>] [--description <text>] [--enabled on|off]
webhooks rotate <id>  change the secret; for a day the one before signs too
webhooks remove <id>
webhooks deliveries <id> [--state waiting|delivered|dead]
webhooks replay <id> <delivery id>
                      each also takes [--reason <text>] [--operator <name>]`

type Parts = { db: Db; config: Config; masterKey: string }

export const webhooksCommand = command<Parts>('webhooks', HELP, {
  list: verb([], {}, async ({ db }: Parts) => list((await listEndpoints(db)).map(endpointLine))),
  add: verb(['url'], { events: TEXT, description: TEXT }, async (parts: Parts, given) => {
    const { url, description, actor, reason } = given
    const events = eventsOf(given.events)
    if (!events) return 'usage'
    const wish = { url, events, description, reason }
    const { endpoint, secret } = await addWebhook(adminContextOf(parts), actor, wish)
    return done(endpointLine(endpoint), `Secret, shown only now: ${secret}`)
  }),
  change: verb(
    ['id'],
    { url: TEXT, events: TEXT, description: TEXT, enabled: TEXT },
    async (parts: Parts, { id, url, description, actor, reason, ...given }) => {
      const events = eventsOf(given.events)
      const enabled = { on: true, off: false }[given.enabled ?? '']
      const wrong = given.enabled !== undefined && enabled === undefined
      if (!isUuid(id) || wrong || (given.events !== undefined && !events)) return 'usage'
      const change = { id, url, description, reason, events, enabled }
      const changed = await changeWebhook(adminContextOf(parts), actor, change)
      return changed ? done(endpointLine(changed)) : NONE
    },
  ),
  rotate: verb(['id'], {}, async (parts: Parts, { id, actor, reason }) => {
    if (!isUuid(id)) return 'usage'
    const rotated = await rotateWebhookSecret(adminContextOf(parts), actor, { id, reason })
    if (!rotated) return NONE
    const until = rotated.previousUntil.toISOString()
    return done(
      `Secret, shown only now: ${rotated.secret}`,
      `The one before signs too until ${until}.`,
    )
  }),
  remove: verb(['id'], {}, async (parts: Parts, { id, actor, reason }) => {
    if (!isUuid(id)) return 'usage'
    const removed = await removeWebhook(adminContextOf(parts), actor, { id, reason })
    return removed ? done('The webhook endpoint has been removed.') : NONE
  }),
  deliveries: verb(['id'], { state: TEXT }, async ({ db }: Parts, { id: endpointId, ...given }) => {
    const state = STATES.find((one) => one === given.state)
    if (!isUuid(endpointId) || state !== given.state) return 'usage'
    const filter = { endpointId, state, before: undefined, limit: 50 }
    return list((await listDeliveries(db, filter)).map(deliveryLine))
  }),
  replay: verb(['id', 'eventId'], {}, async (parts: Parts, { id, eventId, actor, reason }) => {
    if (!isUuid(id) || !isUuid(eventId)) return 'usage'
    const queued = await replayWebhook(adminContextOf(parts), actor, { id, eventId, reason })
    return queued ? done('The delivery has been queued again.') : NONE
  }),
})

const NONE = failed('There is no such webhook endpoint or delivery.')

function adminContextOf({ db, config, masterKey }: Parts): WebhookAdminContext {
  return {
    db,
    keys: webhookKeys({ masterKey, previous: config.MASTER_KEY_PREVIOUS }),
    reach: reachOf(config),
  }
}

const STATES = ['waiting', 'delivered', 'dead'] as const

function eventsOf(list: string | undefined): string[] | undefined {
  if (list === undefined) return undefined
  if (list === 'all') return [...WEBHOOK_EVENTS]
  const names = list.split(',').map((one) => one.trim())
  return names.every((name) => (WEBHOOK_EVENTS as readonly string[]).includes(name))
    ? [...new Set(names)]
    : undefined
}

function endpointLine(endpoint: WebhookEndpoint): string {
  const { id, url, events, enabled, description } = endpoint
  return tableRow(id, enabled ? 'on' : 'OFF', url, events.join(','), description || '-')
}

function deliveryLine(row: DeliveryRow): string {
  return tableRow(
    row.eventId,
    row.createdAt.toISOString(),
    row.type,
    row.state,
    `attempts=${row.attempts}`,
    row.lastError ?? String(row.lastStatus ?? '-'),
  )
}
