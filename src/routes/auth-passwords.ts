import { z } from 'zod'
import type { Accounts } from '../accounts/accounts.ts'
import { forgotPassword, resetPassword } from '../accounts/sessions/password-reset.ts'
import { route } from '../http/route.ts'
import type { Route } from '../http/route.ts'
import { sentShape } from './account-shapes.ts'
import { open } from './auth-open.ts'
import { codeField, identifierField, passwordField } from './fields.ts'

export function passwordRoutes(room: Accounts): Route[] {
  return [
    route({
      ...open,
      path: '/v1/auth/password/forgot',
      summary: 'Ask for a password-reset code',
      body: z.object({ identifier: identifierField }),
      response: sentShape,
      handle: async ({ body }) => ({ data: await forgotPassword(room, body.identifier) }),
    }),
    route({
      ...open,
      path: '/v1/auth/password/reset',
      summary: 'Set a new password with a reset code; every session ends',
      body: z.object({ identifier: identifierField, code: codeField, new_password: passwordField }),
      response: z.object({}),
      async handle({ body: { identifier, code, new_password: newPassword } }) {
        await resetPassword(room, { identifier, code, newPassword })
        return { data: {} }
      },
    }),
  ]
}

/** A plain key set, not an envelope: libraries that verify tokens read nothing else. */
export function keysRoute(room: Accounts): Route {
  return route({
    ...open,
    method: 'GET',
    path: '/v1/auth/jwks.json',
    summary: 'Public keys of access tokens',
    limit: 'none',
    async handle() {
      return {
        status: 200,
        headers: { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' },
        body: JSON.stringify({ keys: await room.signer.publicKeys() }),
      }
    },
  })
}
