import { z } from 'zod'
import { noAccount } from '../../operators/account-actions.ts'
import { operatorActor } from '../../operators/actor.ts'
import { readAmount, type Adjusted } from '../../operators/adjust.ts'
import { decideOnRequest, doOrAsk, type Act } from '../../operators/requests.ts'
import { listWaiting, type OperatorRequest } from '../../operators/requests-store.ts'
import { creditsNumber, creditsText } from '../../ledger/money.ts'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import { Failure } from '../../lib/failure.ts'
import { stamp } from '../fields.ts'
import {
  acting,
  countField,
  idParams,
  keyOf,
  reading,
  reasonField,
  waitingField,
} from './shared.ts'

type Deps = {
  db: Db
  adjustment: Act<{ amount_credits: string }, Adjusted>
  /** Everything that can wait for a second owner. */
  acts: readonly Act[]
}

/** Corrections of balances by hand, and whatever waits for a second owner. */
export function requestRoutes(deps: Deps): Route[] {
  return [adjustRoute(deps), waitingRoute(deps), decisionRoute(deps)]
}

const amountField = z.number().transform((amount, context) => {
  const read = readAmount(String(amount))
  if (read !== undefined) return read
  context.addIssue('must be a number other than 0 with at most six decimal places')
  return z.NEVER
})

function adjustRoute({ db, adjustment }: Deps): Route {
  return route({
    ...acting('support'),
    method: 'POST',
    path: '/v1/operator/accounts/:id/adjustments',
    refuses: ['conflict'],
    summary:
      'Credit or debit an account. The customer sees the reason. Beyond the limits of a day, and ' +
      'for the account of an operator, it waits for a second owner',
    params: idParams,
    body: z.object({ amount_credits: amountField, reason: reasonField }),
    response: z.object({
      outcome: z.enum(['posted', 'posted_before', 'waiting']),
      balance_credits: z.number().optional(),
      request_id: waitingField,
    }),
    async handle(call) {
      const { amount_credits: amountMicro, reason } = call.body
      const wish = { amount_credits: creditsText(amountMicro) }
      const asked = { targetId: call.params.id, wish, reason, key: keyOf(call) }
      const outcome = await doOrAsk(db, operatorActor(call), adjustment, asked)
      if (!outcome) throw noAccount()
      const { done, waiting } = outcome
      if (!done) return { data: { outcome: 'waiting', request_id: waiting } }
      if (done.kind === 'duplicate') return { data: { outcome: 'posted_before' } }
      const balance = creditsNumber(done.balanceMicro)
      return { data: { outcome: 'posted', balance_credits: balance } }
    },
  })
}

const waitingShape = z.object({
  id: z.uuid(),
  action: z.string(),
  target: z.object({ type: z.string(), id: z.string() }),
  wish: z
    .record(z.string(), z.unknown())
    .meta({ description: 'What is asked for: an amount of credits, a margin, changes of prices' }),
  reason: z.string().optional(),
  asked_by: z.object({ account_id: z.uuid(), name: z.string() }),
  asked_at: stamp,
})

function waitingRoute({ db }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/requests',
    summary: 'List what waits for a second owner, oldest first. After seven days it lapses',
    query: z.object({ limit: countField }),
    response: z.array(waitingShape),
    async handle({ query }) {
      return { data: (await listWaiting(db, query.limit)).map(showWaiting) }
    },
  })
}

function showWaiting(one: OperatorRequest): z.infer<typeof waitingShape> {
  return {
    id: one.id,
    action: one.action,
    target: { type: one.targetType, id: one.targetId },
    wish: { ...one.wish },
    reason: one.reason ?? undefined,
    asked_by: { account_id: one.askedBy, name: one.askedByName },
    asked_at: one.askedAt.toISOString(),
  }
}

function decisionRoute({ db, acts }: Deps): Route {
  return route({
    ...acting('owner'),
    method: 'POST',
    path: '/v1/operator/requests/:id/decision',
    refuses: ['conflict'],
    summary:
      'Approve what another operator asked for, which is then done at once, or turn it down. ' +
      'Whoever asked can only take it back; nobody decides about an account of their own',
    params: idParams,
    body: z.object({ approve: z.boolean(), reason: reasonField }),
    response: z.object({ outcome: z.enum(['done', 'turned_down']) }),
    async handle(call) {
      const decision = { id: call.params.id, ...call.body }
      const decided = await decideOnRequest(db, operatorActor(call), acts, decision)
      if (!decided)
        throw new Failure('not_found', 'There is nothing of this kind to decideOnRequest on.')
      return { data: { outcome: 'approved' in decided ? 'done' : 'turned_down' } }
    },
  })
}
