import { z } from 'zod'
import { operatorActor } from '../../operators/actor.ts'
import { readMargin, type modalityAct, type modelAct } from '../../operators/catalog-actions.ts'
import { doOrAsk } from '../../operators/requests.ts'
import { readOffers, type OfferRow } from '../../catalog/catalog-store.ts'
import { readMargins } from '../../catalog/margins-store.ts'
import type { SyncParts } from '../../catalog/sync.ts'
import type { OwnMargins } from '../../catalog/terms.ts'
import { route, type Route } from '../../http/route.ts'
import { Failure } from '../../lib/failure.ts'
import { stamp } from '../fields.ts'
import { acting, keyOf, reading, reasonField, waitingField } from './shared.ts'

type Deps = {
  catalogSync: SyncParts
  acts: { model: ReturnType<typeof modelAct>; modality: ReturnType<typeof modalityAct> }
}

/** Enabling and disabling models, and their margins. */
export function modelControlRoutes(deps: Deps): Route[] {
  return [modelsRoute(deps), changeRoute(deps), marginsRoute(deps), marginRoute(deps)]
}

const A_MARGIN = 'must be a decimal from 0.01 to 100 with at most six places, or null'

/** `1.25` or `"1.25"`; null removes it. */
const marginField = z
  .union([z.number(), z.string().max(20), z.null()])
  .transform((value, context) => {
    const margin = value === null ? null : readMargin(value)
    if (margin !== undefined) return margin
    context.addIssue(A_MARGIN)
    return z.NEVER
  })

const modelShape = z.object({
  id: z.string(),
  name: z.string(),
  output_modalities: z.array(z.string()),
  enabled: z.boolean(),
  margin: z.string().optional().meta({ description: 'Set for this model, before the upstream’s' }),
  offers: z.array(
    z.object({
      upstream: z.string(),
      listed: z.boolean(),
      by_hand: z.boolean(),
      priced: z.enum(['paid', 'free', 'unpriced']),
      margin: z.string().meta({ description: 'In force' }),
      credits_per_usd: z.string(),
      pricing: z.record(z.string(), z.unknown()),
      price_waiting: z.boolean(),
      expires_at: stamp.optional(),
    }),
  ),
})

function modelsRoute({ catalogSync: { db } }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/models',
    summary: 'List every model, switched on or off, with its prices at each upstream',
    response: z.array(modelShape),
    async handle() {
      const margins = await readMargins(db)
      const offers = Map.groupBy(await readOffers(db), ({ id }) => id)
      return { data: [...offers.values()].map((group) => showModel(group, margins)) }
    },
  })
}

function showModel(offers: OfferRow[], margins: OwnMargins): z.infer<typeof modelShape> {
  const { id, facts, disabled } = offers.find((one) => one.listed) ?? offers[0]!
  return {
    id,
    name: facts.name,
    output_modalities: facts.outputModalities,
    enabled: !disabled,
    margin: margins.model.get(id),
    offers: offers.map(({ upstream, listed, byHand, facts: { expires }, price, pending }) => ({
      upstream,
      listed,
      by_hand: byHand,
      priced: price.priced,
      margin: price.margin,
      credits_per_usd: price.creditsPerUsd,
      pricing: { ...price.pricing },
      price_waiting: pending !== undefined,
      ...(expires === undefined ? {} : { expires_at: new Date(expires * 1_000).toISOString() }),
    })),
  }
}

function changeRoute({ catalogSync: { db }, acts }: Deps): Route {
  return route({
    ...acting('owner'),
    method: 'PATCH',
    path: '/v1/operator/models/*',
    refuses: ['conflict'],
    summary:
      'Switch a model on or off, or set its margin; null takes it away. In every process, for ' +
      'calls that begin from now on. A margin below 1, or further from that of a day ago than ' +
      'PRICE_CHANGE_GUARD times, waits for a second owner',
    params: z.object({ '*': z.string() }),
    body: z
      .object({
        enabled: z.boolean().optional(),
        margin: marginField.optional(),
        reason: reasonField,
      })
      .refine(({ enabled, margin }) => enabled !== undefined || margin !== undefined, {
        path: ['enabled'],
        message: 'or margin must be given',
      }),
    response: z.object({
      id: z.string(),
      enabled: z.boolean().optional(),
      margin: z.string().nullable().optional(),
      request_id: waitingField,
    }),
    async handle(call) {
      const { reason, ...wish } = call.body
      const id = call.params['*']
      const asked = { targetId: id, wish, reason, key: keyOf(call) }
      const outcome = await doOrAsk(db, operatorActor(call), acts.model, asked)
      if (!outcome) throw noModel()
      return { data: { id, ...outcome.done, request_id: outcome.waiting } }
    },
  })
}

const marginsShape = z.object({
  house: z.string().meta({ description: 'PRICE_MARGIN: where nothing else is set' }),
  modalities: z.array(
    z.object({ modality: z.string(), models: z.int(), margin: z.string().optional() }),
  ),
})

function marginsRoute({ catalogSync: { db, settings } }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/margins',
    summary: 'List the margins: of the whole service, and by what models produce',
    response: marginsShape,
    async handle() {
      const { modality: margins } = await readMargins(db)
      const models = new Map((await readOffers(db)).map(({ id, facts }) => [id, facts]))
      const made = [...models.values()].flatMap((facts) => facts.outputModalities)
      const modalities = [...Map.groupBy(made, (one) => one)].map(([modality, all]) => {
        return { modality, models: all.length, margin: margins.get(modality) }
      })
      const data: z.infer<typeof marginsShape> = { house: settings.PRICE_MARGIN, modalities }
      return { data }
    },
  })
}

function marginRoute({ catalogSync: { db }, acts }: Deps): Route {
  return route({
    ...acting('owner'),
    method: 'PATCH',
    path: '/v1/operator/margins/:modality',
    refuses: ['conflict'],
    summary:
      'Set the margin of all models that produce this and have none of their own; null takes it ' +
      'away. Of several that fit a model, the highest counts. What is too far for one person ' +
      'waits, as for a model',
    params: z.object({ modality: z.string().max(100) }),
    body: z.object({ margin: marginField, reason: reasonField }),
    response: z.object({
      modality: z.string(),
      margin: z.string().nullable().optional(),
      prices_changed: z.int(),
      request_id: waitingField,
    }),
    async handle(call) {
      const { modality } = call.params
      const { margin, reason } = call.body
      const asked = { targetId: modality, wish: { margin }, reason, key: keyOf(call) }
      const outcome = await doOrAsk(db, operatorActor(call), acts.modality, asked)
      if (!outcome) throw new Failure('not_found', 'There is no model that produces this.')
      const { done, waiting } = outcome
      if (!done) return { data: { modality, prices_changed: 0, request_id: waiting } }
      return { data: { modality, margin, prices_changed: done.repriced } }
    },
  })
}

export function noModel(): Failure {
  return new Failure('not_found', 'There is no such model.')
}
