import { z } from 'zod'
import { operatorActor } from '../../operators/actor.ts'
import {
  addWebhook,
  changeWebhook,
  noWebhook,
  removeWebhook,
  rotateWebhookSecret,
  type WebhookAdminContext,
} from '../../operators/webhook-actions.ts'
import { route, type Route } from '../../http/route.ts'
import { listEndpoints, type WebhookEndpoint } from '../../webhooks/endpoints-store.ts'
import { WEBHOOK_EVENTS } from '../../webhooks/events.ts'
import { line, stamp, webAddressField } from '../fields.ts'
import { acting, idParams, reading, reasonField } from './shared.ts'

type Deps = { admin: WebhookAdminContext }

/** Where the operator's own systems are told of what happens. */
export function webhookRoutes(deps: Deps): Route[] {
  return [listRoute(deps), addRoute(deps), changeRoute(deps), removeRoute(deps), rotateRoute(deps)]
}

/** Its answer has a secret in it, which must not be stored for a retry. */
const showingSecret = { ...acting('owner'), replay: false } as const

const endpointShape = z.object({
  id: z.uuid(),
  url: z.string(),
  description: z.string(),
  events: z.array(z.string()),
  enabled: z.boolean(),
  gone_at: stamp
    .optional()
    .meta({ description: 'When it answered 410 and was switched off for that' }),
  previous_secret_until: stamp
    .optional()
    .meta({ description: 'Until then the secret before the last change signs too' }),
  created_at: stamp,
})

const fields = {
  url: webAddressField,
  events: z
    .array(z.enum(WEBHOOK_EVENTS))
    .min(1)
    .max(WEBHOOK_EVENTS.length)
    .transform((events) => [...new Set(events)]),
  description: line(0, 200),
}

const reason = reasonField.optional()

function listRoute({ admin }: Deps): Route {
  return route({
    ...reading('owner'),
    method: 'GET',
    path: '/v1/operator/webhooks',
    summary: 'List the webhook endpoints',
    response: z.array(endpointShape),
    async handle() {
      return { data: (await listEndpoints(admin.db)).map(showEndpoint) }
    },
  })
}

function addRoute({ admin }: Deps): Route {
  return route({
    ...showingSecret,
    method: 'POST',
    path: '/v1/operator/webhooks',
    summary:
      'Add a webhook endpoint: an https address in public. The secret that signs what is sent ' +
      'there is in this answer, and never shown again',
    body: z.object({ ...fields, description: fields.description.optional(), reason }),
    response: endpointShape.extend({ secret: z.string() }),
    refuses: ['conflict'],
    successStatus: 201,
    async handle(call) {
      const { endpoint, secret } = await addWebhook(admin, operatorActor(call), call.body)
      return { data: { ...showEndpoint(endpoint), secret } }
    },
  })
}

function changeRoute({ admin }: Deps): Route {
  return route({
    ...acting('owner'),
    method: 'PATCH',
    path: '/v1/operator/webhooks/:id',
    summary:
      'Change a webhook endpoint. While it is not enabled nothing is sent, and what happens then ' +
      'is never sent',
    params: idParams,
    body: z.object({
      ...z.object(fields).partial().shape,
      enabled: z.boolean().optional(),
      reason,
    }),
    response: endpointShape,
    async handle(call) {
      const change = { id: call.params.id, ...call.body }
      const endpoint = await changeWebhook(admin, operatorActor(call), change)
      if (!endpoint) throw noWebhook()
      return { data: showEndpoint(endpoint) }
    },
  })
}

function removeRoute({ admin }: Deps): Route {
  return route({
    ...acting('owner'),
    method: 'DELETE',
    path: '/v1/operator/webhooks/:id',
    summary: 'Remove a webhook endpoint with all its deliveries',
    params: idParams,
    body: z.object({ reason }),
    response: z.object({}),
    async handle(call) {
      const wish = { id: call.params.id, ...call.body }
      if (!(await removeWebhook(admin, operatorActor(call), wish))) throw noWebhook()
      return { data: {} }
    },
  })
}

function rotateRoute({ admin }: Deps): Route {
  return route({
    ...showingSecret,
    method: 'POST',
    path: '/v1/operator/webhooks/:id/secret',
    summary: 'Change the secret of a webhook endpoint. For a day the one before signs too',
    params: idParams,
    body: z.object({ reason }),
    response: z.object({ secret: z.string(), previous_secret_until: stamp }),
    async handle(call) {
      const wish = { id: call.params.id, ...call.body }
      const done = await rotateWebhookSecret(admin, operatorActor(call), wish)
      if (!done) throw noWebhook()
      const previous_secret_until = done.previousUntil.toISOString()
      return { data: { secret: done.secret, previous_secret_until } }
    },
  })
}

function showEndpoint(endpoint: WebhookEndpoint): z.infer<typeof endpointShape> {
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    events: endpoint.events,
    enabled: endpoint.enabled,
    gone_at: endpoint.goneAt?.toISOString(),
    previous_secret_until: endpoint.previousUntil?.toISOString(),
    created_at: endpoint.createdAt.toISOString(),
  }
}
