import { z } from 'zod'
import type { Account } from '../../accounts/account.ts'
import { noAccount, type accountActs, type ResendWish } from '../../operators/account-actions.ts'
import { operatorActor } from '../../operators/actor.ts'
import { doOrAsk, type Act } from '../../operators/requests.ts'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import { Failure } from '../../lib/failure.ts'
import { acting, idParams, keyOf, reasonField, waitingField } from './shared.ts'

type Acts = ReturnType<typeof accountActs> & { resendCode: Act<ResendWish, true> }
type Deps = { db: Db; acts: Acts }

/** What operators do to accounts, apart from their money. Each is in the audit log with its reason. */
export function accountActionRoutes(deps: Deps): Route[] {
  return [...suspensionRoutes(deps), sessionsRoute(deps), keyRoute(deps), codeRoute(deps)]
}

const reasonBody = z.object({ reason: reasonField })
const statusShape = z.object({
  id: z.uuid(),
  status: z.enum(['pending_verification', 'active', 'suspended']).optional(),
  request_id: waitingField,
})

function suspensionRoutes({ db, acts }: Deps): Route[] {
  const path = '/v1/operator/accounts/:id/suspension'
  const change = async (act: Act<object, Account>, call: Parameters<typeof askedBy>[0]) => {
    const outcome = await doOrAsk(db, operatorActor(call), act, askedBy(call, {}))
    if (!outcome) throw noAccount()
    const { done, waiting } = outcome
    return { data: { id: call.params.id, status: done?.status, request_id: waiting } }
  }
  return [
    route({
      ...acting('support'),
      method: 'POST',
      path,
      summary:
        'Suspend an account: its sessions and API keys stop working at once. One of an operator ' +
        'waits for a second owner, as all that is done to it',
      params: idParams,
      body: reasonBody,
      response: statusShape,
      handle: (call) => change(acts.suspend, call),
    }),
    route({
      ...acting('support'),
      method: 'DELETE',
      path,
      summary: 'Lift the suspension of an account',
      params: idParams,
      body: reasonBody,
      response: statusShape,
      handle: (call) => change(acts.reinstate, call),
    }),
  ]
}

function sessionsRoute({ db, acts }: Deps): Route {
  return route({
    ...acting('support'),
    method: 'DELETE',
    path: '/v1/operator/accounts/:id/sessions',
    summary: 'Sign an account out everywhere. Its API keys go on working',
    params: idParams,
    body: reasonBody,
    response: z.object({ ended: z.int(), request_id: waitingField }),
    async handle(call) {
      const outcome = await doOrAsk(db, operatorActor(call), acts.endSessions, askedBy(call, {}))
      if (!outcome) throw noAccount()
      return { data: { ended: outcome.done?.ended ?? 0, request_id: outcome.waiting } }
    },
  })
}

function keyRoute({ db, acts }: Deps): Route {
  return route({
    ...acting('support'),
    method: 'DELETE',
    path: '/v1/operator/accounts/:id/api-keys/:key_id',
    summary: 'Revoke an API key of an account',
    params: z.object({ ...idParams.shape, key_id: z.guid().toLowerCase() }),
    body: reasonBody,
    response: z.object({ request_id: waitingField }),
    async handle(call) {
      const asked = askedBy(call, { key_id: call.params.key_id })
      const outcome = await doOrAsk(db, operatorActor(call), acts.revokeKey, asked)
      if (!outcome) throw new Failure('not_found', 'There is no such API key.')
      return { data: { request_id: outcome.waiting } }
    },
  })
}

function codeRoute({ db, acts }: Deps): Route {
  return route({
    ...acting('support'),
    method: 'POST',
    path: '/v1/operator/accounts/:id/codes',
    summary:
      'Send a code that the customer waits for once more, to the address of the account. Whoever ' +
      'waits for none is sent none',
    params: idParams,
    body: z.object({
      channel: z.enum(['email', 'phone']),
      purpose: z.enum(['verify', 'reset_password']),
      reason: reasonField,
    }),
    response: z.object({ request_id: waitingField }),
    async handle(call) {
      const { reason: _reason, ...wish } = call.body
      const asked = askedBy(call, wish)
      const outcome = await doOrAsk(db, operatorActor(call), acts.resendCode, asked)
      if (!outcome) throw noAccount()
      return { data: { request_id: outcome.waiting } }
    },
  })
}

function askedBy<Wish extends object>(
  call: Parameters<typeof operatorActor>[0] &
    Parameters<typeof keyOf>[0] & { params: { id: string }; body: { reason: string } },
  wish: Wish,
) {
  return { targetId: call.params.id, wish, reason: call.body.reason, key: keyOf(call) }
}
