import { parseArgs } from 'node:util'
import { commandActor } from '../operators/actor.ts'
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
import type { Print } from './print.ts'

const HELP = `webhooks list
webhooks add <url> --events <a,b|all> [--description <text>]
                      tell a system of yours what happens; prints the secret, once
webhooks change <id> [--url <url>] [--events <a,b|all>] [--description <text>] [--enabled on|off]
webhooks rotate <id>  change the secret; for a day the one before signs too
webhooks remove <id>
webhooks deliveries <id> [--state waiting|delivered|dead]
webhooks replay <id> <delivery id>
                      each also takes [--reason <text>] [--operator <name>]`

const text = { type: 'string' } as const
const OPTIONS = {
  events: text,
  description: text,
  url: text,
  enabled: text,
  state: text,
  reason: text,
  operator: text,
}
type Values = { [Name in keyof typeof OPTIONS]?: string | undefined }

/** `npm run mlango -- webhooks …`. */
export const webhooksCommand = {
  name: 'webhooks',
  help: HELP,
  async run(
    args: string[],
    parts: { db: Db; config: Config; masterKey: string; print: Print },
  ): Promise<number> {
    const { db, config, masterKey, print } = parts
    const [verb = '', ...rest] = args
    const { positionals, values } = parseArgs({
      args: rest,
      options: OPTIONS,
      allowPositionals: true,
    })
    const admin: WebhookAdminContext = {
      db,
      keys: webhookKeys({ masterKey, previous: config.MASTER_KEY_PREVIOUS }),
      reach: reachOf(config.WEBHOOK_ALLOW_NETWORKS),
    }
    const lines = await VERBS[verb]?.(admin, positionals, values)
    if (lines === 'usage' || lines === undefined) {
      print(HELP)
      return 2
    }
    for (const line of lines ?? [NONE]) print(line)
    return lines === null ? 1 : 0
  },
}

const NONE = 'There is no such webhook endpoint or delivery.'

/** What to print; null when there is no such thing. */
type Said = string[] | null | 'usage'
type Verb = (admin: WebhookAdminContext, names: string[], values: Values) => Promise<Said>

const VERBS: Record<string, Verb | undefined> = {
  async list({ db }) {
    const endpoints = await listEndpoints(db)
    return [...endpoints.map(endpointLine), `${endpoints.length} shown.`]
  },
  async add(admin, [url], values) {
    const events = eventsOf(values.events)
    if (url === undefined || !events) return 'usage'
    const { description, reason, operator } = values
    const wish = { url, events, description, reason }
    const { endpoint, secret } = await addWebhook(admin, commandActor(operator), wish)
    return [endpointLine(endpoint), `Secret, shown only now: ${secret}`]
  },
  async change(admin, [id = ''], values) {
    const events = eventsOf(values.events)
    const enabled = { on: true, off: false }[values.enabled ?? '']
    const wrong = values.enabled !== undefined && enabled === undefined
    if (!isUuid(id) || wrong || (values.events !== undefined && !events)) return 'usage'
    const { url, description, reason } = values
    const change = { id, url, description, reason, events, enabled }
    const changed = await changeWebhook(admin, commandActor(values.operator), change)
    return changed ? [endpointLine(changed)] : null
  },
  async rotate(admin, [id = ''], { reason, operator }) {
    if (!isUuid(id)) return 'usage'
    const done = await rotateWebhookSecret(admin, commandActor(operator), { id, reason })
    if (!done) return null
    const until = done.previousUntil.toISOString()
    return [`Secret, shown only now: ${done.secret}`, `The one before signs too until ${until}.`]
  },
  async remove(admin, [id = ''], { reason, operator }) {
    if (!isUuid(id)) return 'usage'
    const done = await removeWebhook(admin, commandActor(operator), { id, reason })
    return done ? ['The webhook endpoint has been removed.'] : null
  },
  async deliveries({ db }, [endpointId = ''], values) {
    const state = STATES.find((one) => one === values.state)
    if (!isUuid(endpointId) || (values.state !== undefined && !state)) return 'usage'
    const filter = { endpointId, state, before: undefined, limit: 50 }
    const found = await listDeliveries(db, filter)
    return [...found.map(deliveryLine), `${found.length} shown.`]
  },
  async replay(admin, [id = '', eventId = ''], { reason, operator }) {
    if (!isUuid(id) || !isUuid(eventId)) return 'usage'
    const done = await replayWebhook(admin, commandActor(operator), { id, eventId, reason })
    return done ? ['The delivery has been queued again.'] : null
  },
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
  return [id, enabled ? 'on' : 'OFF', url, events.join(','), description || '-'].join('  ')
}

function deliveryLine(row: DeliveryRow): string {
  const columns = [
    row.eventId,
    row.createdAt.toISOString(),
    row.type,
    row.state,
    `attempts=${row.attempts}`,
    row.lastError ?? row.lastStatus ?? '-',
  ]
  return columns.join('  ')
}
