import { z } from 'zod'
import { operatorActor } from '../../administration/actor.ts'
import { approveWaiting, switchModel } from '../../administration/catalog-acts.ts'
import { readOffers, type OfferRow } from '../../catalog/catalog-store.ts'
import { readPending, type PendingPrice } from '../../catalog/pending-store.ts'
import { describeMove } from '../../catalog/price-move.ts'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import { Failure } from '../../lib/failure.ts'
import { stamp } from '../fields.ts'
import { acting, reading, reasonField } from './shared.ts'

type Deps = { db: Db }

/** Models on and off, and prices that wait. */
export function catalogRoutes(deps: Deps): Route[] {
  return [modelsRoute(deps), switchRoute(deps), waitingRoute(deps), approvalRoute(deps)]
}

const pricing = z.record(z.string(), z.unknown())

const modelShape = z.object({
  id: z.string(),
  enabled: z.boolean(),
  offers: z.array(
    z.object({
      upstream: z.string(),
      listed: z.boolean(),
      by_hand: z.boolean(),
      margin: z.string(),
      credits_per_usd: z.string(),
      pricing,
      price_waiting: z.boolean(),
    }),
  ),
})

function modelsRoute({ db }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/models',
    summary: 'List every model, switched on or off, with its prices at each upstream',
    response: z.array(modelShape),
    async handle() {
      const offers = Map.groupBy(await readOffers(db), ({ id }) => id)
      return { data: [...offers.values()].map(showModel) }
    },
  })
}

function showModel(offers: OfferRow[]): z.infer<typeof modelShape> {
  return {
    id: offers[0]!.id,
    enabled: !offers[0]!.disabled,
    offers: offers.map(({ upstream, listed, byHand, price, pending }) => ({
      upstream,
      listed,
      by_hand: byHand,
      margin: price.margin,
      credits_per_usd: price.creditsPerUsd,
      pricing: { ...price.pricing },
      price_waiting: pending !== undefined,
    })),
  }
}

function switchRoute({ db }: Deps): Route {
  return route({
    ...acting('owner'),
    method: 'PATCH',
    path: '/v1/operator/models/*',
    summary: 'Switch a model on or off, in every process',
    params: z.object({ '*': z.string() }),
    body: z.object({ enabled: z.boolean(), reason: reasonField }),
    response: z.object({ id: z.string(), enabled: z.boolean() }),
    async handle(call) {
      const wanted = { id: call.params['*'], ...call.body }
      if (await switchModel(db, operatorActor(call), wanted)) {
        return { data: { id: wanted.id, enabled: wanted.enabled } }
      }
      throw new Failure('not_found', 'There is no such model.')
    },
  })
}

const waitingShape = z.object({
  model: z.string(),
  upstream: z.string(),
  reason: z.enum(['vanished', 'moved']),
  noticed_at: stamp,
  old: pricing,
  new: pricing,
  changes: z.array(z.string()),
})

function waitingRoute({ db }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/prices/waiting',
    summary: 'List the prices that wait for approval, old and new side by side in US dollars',
    response: z.array(waitingShape),
    async handle() {
      return { data: (await readPending(db)).map(showWaiting) }
    },
  })
}

function showWaiting(price: PendingPrice): z.infer<typeof waitingShape> {
  return {
    model: price.id,
    upstream: price.upstream,
    reason: price.reason,
    noticed_at: price.noticedAt.toISOString(),
    old: { ...price.old.pricing },
    new: { ...price.next.pricing },
    changes: describeMove(price.old, price.next),
  }
}

function approvalRoute({ db }: Deps): Route {
  return route({
    ...acting('owner'),
    method: 'POST',
    path: '/v1/operator/prices/approval',
    summary: 'Put the waiting prices of these models in force',
    body: z.object({
      ids: z.array(z.string().max(300)).min(1).max(500),
      reason: reasonField,
    }),
    response: z.object({ approved: z.array(z.string()) }),
    async handle(call) {
      const approved = await approveWaiting(db, operatorActor(call), call.body)
      return { data: { approved: [...new Set(approved.map(({ id }) => id))] } }
    },
  })
}
