import { z } from 'zod'
import { noAccount } from '../../operators/account-actions.ts'
import { operatorActor } from '../../operators/actor.ts'
import {
  adjust,
  decideAdjustment,
  readAmount,
  type Adjusted,
  type AdjustLimits,
} from '../../operators/adjust.ts'
import { listWaiting } from '../../operators/adjustment-requests-store.ts'
import { creditsNumber, creditsText } from '../../ledger/money.ts'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import { Failure } from '../../lib/failure.ts'
import { stamp } from '../fields.ts'
import { acting, idParams, countField, reading, reasonField } from './shared.ts'

type Deps = { db: Db; limits: AdjustLimits }

/** Corrections of balances by hand. */
export function adjustmentRoutes(deps: Deps): Route[] {
  return [adjustRoute(deps), waitingRoute(deps), decisionRoute(deps)]
}

const amountField = z.number().transform((amount, context) => {
  const read = readAmount(String(amount))
  if (read !== undefined) return read
  context.addIssue('must be a number other than 0 with at most six decimal places')
  return z.NEVER
})

const outcomeShape = z.object({
  outcome: z.enum(['posted', 'posted_before', 'waiting', 'turned_down']),
  balance_credits: z.number().optional(),
  request_id: z.uuid().optional(),
})

function adjustRoute({ db, limits }: Deps): Route {
  return route({
    ...acting('support'),
    method: 'POST',
    path: '/v1/operator/accounts/:id/adjustments',
    summary:
      'Credit or debit an account. The customer sees the reason. Beyond the limits of a day it ' +
      'waits for a second operator',
    params: idParams,
    body: z.object({ amount_credits: amountField, reason: reasonField }),
    response: outcomeShape,
    async handle(call) {
      const { amount_credits: amountMicro, reason } = call.body
      const actor = operatorActor(call)
      // The same key changes nothing, even if the process died before the answer was stored.
      const key = call.claim ? `${actor.operatorId}:${call.claim.key}` : call.requestId
      const adjustment = { accountId: call.params.id, amountMicro, reason, key }
      const adjusted = await adjust(db, actor, adjustment, limits)
      if (!adjusted) throw noAccount()
      return { data: showOutcome(adjusted) }
    },
  })
}

function showOutcome(adjusted: Adjusted | { kind: 'turned_down' }): z.infer<typeof outcomeShape> {
  switch (adjusted.kind) {
    case 'posted':
      return { outcome: 'posted', balance_credits: creditsNumber(adjusted.balanceMicro) }
    case 'duplicate':
      return { outcome: 'posted_before' }
    case 'waiting':
      return { outcome: 'waiting', request_id: adjusted.requestId }
    case 'turned_down':
      return { outcome: 'turned_down' }
    default: {
      const left = creditsText(adjusted.availableMicro)
      throw new Failure('conflict', `Only ${left} credits are available.`)
    }
  }
}

const waitingShape = z.object({
  id: z.uuid(),
  account_id: z.uuid(),
  amount_credits: z.number(),
  reason: z.string(),
  asked_by: z.object({ account_id: z.uuid(), name: z.string() }),
  asked_at: stamp,
})

function waitingRoute({ db }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/adjustments',
    summary: 'List the adjustments that wait for a second operator, oldest first',
    query: z.object({ limit: countField }),
    response: z.array(waitingShape),
    async handle({ query }) {
      const waiting = await listWaiting(db, query.limit)
      const data = waiting.map((one) => ({
        id: one.id,
        account_id: one.accountId,
        amount_credits: creditsNumber(one.amountMicro),
        reason: one.reason,
        asked_by: { account_id: one.askedBy, name: one.askedByName },
        asked_at: one.askedAt.toISOString(),
      }))
      return { data }
    },
  })
}

function decisionRoute({ db }: Deps): Route {
  return route({
    ...acting('owner'),
    method: 'POST',
    path: '/v1/operator/adjustments/:id/decision',
    summary: 'Approve an adjustment that another operator asked for, or turn it down',
    params: idParams,
    body: z.object({ approve: z.boolean(), reason: reasonField }),
    response: outcomeShape,
    async handle(call) {
      const wanted = { id: call.params.id, ...call.body }
      const decided = await decideAdjustment(db, operatorActor(call), wanted)
      if (!decided) throw new Failure('not_found', 'There is no such adjustment to decide on.')
      return { data: showOutcome(decided) }
    },
  })
}
