import { z } from 'zod'
import type { Accounts } from '../../accounts/accounts.ts'
import {
  endSessions,
  noAccount,
  resendCodeOf,
  liftSuspension,
  revokeKeyOf,
  suspend,
  type AdminContext,
} from '../../operators/account-actions.ts'
import { operatorActor } from '../../operators/actor.ts'
import { route, type Route } from '../../http/route.ts'
import { Failure } from '../../lib/failure.ts'
import { acting, idParams, reasonField } from './shared.ts'

type Deps = { accounts: Accounts; admin: AdminContext }

/** What operators do to accounts, apart from their money. Each is in the audit log with its reason. */
export function accountActionRoutes(deps: Deps): Route[] {
  return [...suspensionRoutes(deps), sessionsRoute(deps), keyRoute(deps), codeRoute(deps)]
}

const reasonBody = z.object({ reason: reasonField })
const statusShape = z.object({
  id: z.uuid(),
  status: z.enum(['pending_verification', 'active', 'suspended']),
})

function suspensionRoutes({ admin }: Deps): Route[] {
  const path = '/v1/operator/accounts/:id/suspension'
  return [
    route({
      ...acting('support'),
      method: 'POST',
      path,
      summary: 'Suspend an account: its sessions and API keys stop working at once',
      params: idParams,
      body: reasonBody,
      response: statusShape,
      async handle(call) {
        const wanted = { accountId: call.params.id, ...call.body }
        const account = await suspend(admin, operatorActor(call), wanted)
        if (!account) throw noAccount()
        return { data: { id: account.id, status: account.status } }
      },
    }),
    route({
      ...acting('support'),
      method: 'DELETE',
      path,
      summary: 'Lift the suspension of an account',
      params: idParams,
      body: reasonBody,
      response: statusShape,
      async handle(call) {
        const wanted = { accountId: call.params.id, ...call.body }
        const account = await liftSuspension(admin, operatorActor(call), wanted)
        if (!account) throw noAccount()
        return { data: { id: account.id, status: account.status } }
      },
    }),
  ]
}

function sessionsRoute({ admin }: Deps): Route {
  return route({
    ...acting('support'),
    method: 'DELETE',
    path: '/v1/operator/accounts/:id/sessions',
    summary: 'Sign an account out everywhere. Its API keys go on working',
    params: idParams,
    body: reasonBody,
    response: z.object({ ended: z.int() }),
    async handle(call) {
      const wanted = { accountId: call.params.id, ...call.body }
      const done = await endSessions(admin, operatorActor(call), wanted)
      if (!done) throw noAccount()
      return { data: done }
    },
  })
}

function keyRoute({ admin }: Deps): Route {
  return route({
    ...acting('support'),
    method: 'DELETE',
    path: '/v1/operator/accounts/:id/api-keys/:key_id',
    summary: 'Revoke an API key of an account',
    params: z.object({ ...idParams.shape, key_id: z.guid().toLowerCase() }),
    body: reasonBody,
    response: z.object({}),
    async handle(call) {
      const { id: accountId, key_id: keyId } = call.params
      const revoked = await revokeKeyOf(admin, operatorActor(call), {
        accountId,
        keyId,
        ...call.body,
      })
      if (!revoked) throw new Failure('not_found', 'There is no such API key.')
      return { data: {} }
    },
  })
}

function codeRoute({ accounts }: Deps): Route {
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
    response: z.object({}),
    async handle(call) {
      const wanted = { accountId: call.params.id, ...call.body }
      const sent = await resendCodeOf(accounts, operatorActor(call), wanted)
      if (!sent) throw noAccount()
      return { data: {} }
    },
  })
}
