import { z } from 'zod'
import { operatorActor } from '../../operators/actor.ts'
import { readRate, setRate } from '../../operators/business/fx.ts'
import { listRates, type FxRate } from '../../operators/business/fx-store.ts'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import type { Clock } from '../../lib/clock.ts'
import { dayAt } from '../../lib/days.ts'
import { stamp } from '../fields.ts'
import { acting, countField, dayField, reading, reasonField } from './shared.ts'

type Deps = { db: Db; clock: Clock; timeZone: string; defaultRate: string }

/** What a dollar costs in shillings: for the margin only, never for a price. */
export function fxRoutes(deps: Deps): Route[] {
  return [listRoute(deps), setRoute(deps)]
}

const rateField = z.number().transform((rate, context) => {
  const read = readRate(String(rate))
  if (read !== undefined) return read
  context.addIssue('must be a number over 0 and below 1000000 with at most six decimal places')
  return z.NEVER
})

const rateShape = z.object({
  day: z.string(),
  tzs_per_usd: z.number(),
  set_at: stamp,
})

function listRoute({ db, defaultRate }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/fx',
    summary:
      'List what a dollar cost in shillings, newest first. A rate holds until the next; before the ' +
      'first one it is `default_tzs_per_usd`',
    query: z.object({ before: dayField.optional(), limit: countField }),
    response: z.array(rateShape),
    beside: { default_tzs_per_usd: z.number() },
    async handle({ query }) {
      const rates = await listRates(db, query)
      return {
        data: rates.map(showRate),
        beside: { default_tzs_per_usd: Number(defaultRate) },
      }
    },
  })
}

function setRoute({ db, clock, timeZone }: Deps): Route {
  return route({
    ...acting('owner'),
    method: 'PUT',
    path: '/v1/operator/fx/:day',
    summary: 'Set what a dollar costs in shillings from a day on',
    params: z.object({ day: dayField }),
    body: z.object({ tzs_per_usd: rateField, reason: reasonField.optional() }),
    response: rateShape,
    async handle(call) {
      const { tzs_per_usd: tzsPerUsd, reason } = call.body
      const today = dayAt(clock.now(), timeZone)
      const wanted = { day: call.params.day, tzsPerUsd, reason, today }
      return { data: showRate(await setRate(db, operatorActor(call), wanted)) }
    },
  })
}

function showRate({ day, tzsPerUsd, setAt }: FxRate): z.infer<typeof rateShape> {
  return { day, tzs_per_usd: Number(tzsPerUsd), set_at: setAt.toISOString() }
}
