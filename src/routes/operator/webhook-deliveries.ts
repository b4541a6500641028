import { z } from 'zod'
import { operatorActor } from '../../operators/actor.ts'
import { replayWebhook, type WebhookAdminContext } from '../../operators/webhook-actions.ts'
import { route, type Route } from '../../http/route.ts'
import { Failure } from '../../lib/failure.ts'
import { listDeliveries, type DeliveryRow } from '../../webhooks/deliveries-store.ts'
import { stamp } from '../fields.ts'
import { acting, countField, idParams, reading, reasonField } from './shared.ts'

type Deps = { admin: WebhookAdminContext }

/** What was sent to an endpoint, and what became of it. */
export function webhookDeliveryRoutes(deps: Deps): Route[] {
  return [deliveriesRoute(deps), replayRoute(deps)]
}

const STATES = ['waiting', 'delivered', 'dead'] as const

const deliveryShape = z.object({
  id: z.uuid().meta({ description: 'The receiver knows it as webhook-id' }),
  type: z.string(),
  state: z.enum(STATES),
  attempts: z.int(),
  last_status: z.int().optional(),
  last_error: z.string().optional(),
  last_try_at: stamp.optional(),
  next_try_at: stamp.optional(),
  created_at: stamp,
  body: z.unknown(),
})

function deliveriesRoute({ admin }: Deps): Route {
  return route({
    ...reading('owner'),
    method: 'GET',
    path: '/v1/operator/webhooks/:id/deliveries',
    summary: 'List what was sent or is to be sent to a webhook endpoint, newest first',
    params: idParams,
    query: z.object({
      state: z.enum(STATES).optional(),
      before: z.guid('must be a UUID').toLowerCase().optional(),
      limit: countField,
    }),
    response: z.array(deliveryShape),
    async handle({ params, query: { state, before, limit } }) {
      const filter = { endpointId: params.id, state, before, limit }
      return { data: (await listDeliveries(admin.db, filter)).map(showDelivery) }
    },
  })
}

function replayRoute({ admin }: Deps): Route {
  return route({
    ...acting('owner'),
    method: 'POST',
    path: '/v1/operator/webhooks/:id/deliveries/:event_id/replay',
    summary: 'Send a delivery once more, under the same id, whether it arrived before or not',
    params: z.object({ ...idParams.shape, event_id: z.guid().toLowerCase() }),
    body: z.object({ reason: reasonField.optional() }),
    response: z.object({}),
    async handle(call) {
      const { id, event_id: eventId } = call.params
      const wish = { id, eventId, ...call.body }
      if (await replayWebhook(admin, operatorActor(call), wish)) return { data: {} }
      throw new Failure('not_found', 'There is no such delivery, or it is still being tried.')
    },
  })
}

function showDelivery(delivery: DeliveryRow): z.infer<typeof deliveryShape> {
  const waits = delivery.state === 'waiting'
  return {
    id: delivery.eventId,
    type: delivery.type,
    state: delivery.state,
    attempts: delivery.attempts,
    last_status: delivery.lastStatus ?? undefined,
    last_error: delivery.lastError ?? undefined,
    last_try_at: delivery.lastTryAt?.toISOString(),
    next_try_at: waits ? delivery.nextTryAt.toISOString() : undefined,
    created_at: delivery.createdAt.toISOString(),
    body: JSON.parse(delivery.body),
  }
}
