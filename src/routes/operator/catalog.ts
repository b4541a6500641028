import { z } from 'zod'
import { operatorActor } from '../../operators/actor.ts'
import { syncByHand, wishFor, type approvalAct } from '../../operators/catalog-actions.ts'
import { doOrAsk } from '../../operators/requests.ts'
import { findCatalogModel, readPastPrices, type PastPrice } from '../../catalog/history-store.ts'
import { readPending, type PendingPrice } from '../../catalog/pending-store.ts'
import { besideEachOther, describeMove } from '../../catalog/price-move.ts'
import type { SyncParts } from '../../catalog/sync.ts'
import { route, type Route } from '../../http/route.ts'
import { decimal, decimalText, times, type Decimal } from '../../lib/decimal.ts'
import { Failure } from '../../lib/failure.ts'
import { stamp } from '../fields.ts'
import { noModel } from './models.ts'
import { acting, countField, keyOf, reading, reasonField, waitingField } from './shared.ts'

type Deps = { catalogSync: SyncParts; approval: ReturnType<typeof approvalAct> }

/** Prices that wait for approval, the history of prices, and syncing the catalog. */
export function priceRoutes(deps: Deps): Route[] {
  return [waitingRoute(deps), approvalRoute(deps), historyRoute(deps), syncRoute(deps)]
}

const pricing = z.record(z.string(), z.unknown())

const waitingShape = z.object({
  model: z.string(),
  upstream: z.string(),
  reason: z.enum(['vanished', 'moved']),
  noticed_at: stamp,
  old: pricing,
  new: pricing,
  changes: z.array(z.string()),
  prices: z.array(
    z.object({
      name: z.string(),
      old_usd: z.string().optional(),
      new_usd: z.string().optional(),
      old_credits: z.number().optional(),
      new_credits: z.number().optional(),
    }),
  ),
})

function waitingRoute({ catalogSync: { db } }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/prices/waiting',
    summary:
      'List the prices that wait for approval, old and new side by side: in US dollars, and in ' +
      'credits as customers would pay them',
    response: z.array(waitingShape),
    async handle() {
      return { data: (await readPending(db)).map(showWaiting) }
    },
  })
}

function showWaiting(price: PendingPrice): z.infer<typeof waitingShape> {
  const credits = (usd: Decimal) =>
    Number(decimalText(times(usd, decimal(price.margin), decimal(price.creditsPerUsd))))
  return {
    model: price.id,
    upstream: price.upstream,
    reason: price.reason,
    noticed_at: price.noticedAt.toISOString(),
    old: { ...price.old.pricing },
    new: { ...price.next.pricing },
    changes: describeMove(price.old, price.next),
    prices: besideEachOther(price.old.pricing, price.next.pricing).map(({ name, old, next }) => ({
      name,
      old_usd: old && decimalText(old),
      new_usd: next && decimalText(next),
      old_credits: old && credits(old),
      new_credits: next && credits(next),
    })),
  }
}

function approvalRoute({ catalogSync: { db }, approval }: Deps): Route {
  return route({
    ...acting('owner'),
    method: 'POST',
    path: '/v1/operator/prices/approval',
    refuses: ['conflict'],
    summary:
      'Put the waiting prices of these models in force. They moved too far for one person: a ' +
      'second owner confirms them, as they are now',
    body: z.object({
      ids: z.array(z.string().max(300)).min(1).max(500),
      reason: reasonField,
    }),
    response: z.object({ approved: z.array(z.string()), request_id: waitingField }),
    async handle(call) {
      const { ids, reason } = call.body
      const wish = await db.begin((tx) => wishFor(tx, ids))
      const asked = { targetId: ids.join(' ').slice(0, 300), wish, reason, key: keyOf(call) }
      const outcome = await doOrAsk(db, operatorActor(call), approval, asked)
      const approved = (outcome?.done ?? []).map(({ id }) => id)
      return { data: { approved: [...new Set(approved)], request_id: outcome?.waiting } }
    },
  })
}

const pastShape = z.object({
  id: z.uuid().meta({ description: 'Charges name it as their price' }),
  upstream: z.string(),
  at: stamp,
  reason: z
    .enum(['first', 'listed', 'by_hand', 'terms', 'approved'])
    .meta({ description: '`terms`: the margin or the worth of a credit changed' }),
  operator: z.string().optional(),
  in_force: z.boolean(),
  priced: z.enum(['paid', 'free', 'unpriced']),
  pricing,
  margin: z.string(),
  credits_per_usd: z.string(),
})

function historyRoute({ catalogSync: { db } }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/models/:id/prices',
    summary:
      'List every price that a model ever had, newest first. The id of the model is ' +
      'percent-encoded, or its resource id. With `before`, the id of a price, only older ones',
    params: z.object({ id: z.string() }),
    query: z.object({
      before: z.guid('must be a UUID').toLowerCase().optional(),
      limit: countField,
    }),
    response: z.array(pastShape),
    async handle({ params, query }) {
      const model = await findCatalogModel(db, params.id)
      if (!model) throw noModel()
      const { before, limit } = query
      const prices = await readPastPrices(db, { modelId: model.resourceId, before, limit })
      return { data: prices.map(showPast) }
    },
  })
}

function showPast(price: PastPrice) {
  return {
    id: price.id,
    upstream: price.upstream,
    at: price.takenAt.toISOString(),
    reason: price.reason,
    operator: price.operator,
    in_force: price.inForce,
    priced: price.priced,
    pricing: { ...price.pricing },
    margin: price.margin,
    credits_per_usd: price.creditsPerUsd,
  }
}

function syncRoute({ catalogSync }: Deps): Route {
  return route({
    ...acting('owner'),
    method: 'POST',
    path: '/v1/operator/catalog/sync',
    summary:
      'Read the model lists of all upstreams now; `believe` takes also a list that lost most of ' +
      'its models. `failed` names the upstreams whose list could not be used',
    body: z.object({ believe: z.boolean().default(false), reason: reasonField }),
    response: z.object({
      added: z.int(),
      priced: z.int(),
      gone: z.int(),
      waiting: z.int(),
      failed: z.array(z.string()),
    }),
    async handle(call) {
      const wish = { ...call.body, signal: call.signal }
      const report = await syncByHand(catalogSync, operatorActor(call), wish)
      if (report.state === 'done') {
        const { state: _state, ...data } = report
        return { data }
      }
      throw new Failure('conflict', 'Another process is reading the lists right now.')
    },
  })
}
