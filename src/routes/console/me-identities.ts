import { z } from 'zod'
import type { Accounts } from '../../accounts/accounts.ts'
import { listIdentities } from '../../accounts/sign-in/identities-store.ts'
import { unlink } from '../../accounts/sign-in/unlink.ts'
import { route, type Route } from '../../http/route.ts'
import { ownerFields, stamp } from '../fields.ts'

const shared = {
  tag: 'Profile',
  credential: 'jwt',
  dialect: 'envelope',
  limit: 'principal',
} as const

/** The accounts elsewhere that sign in to this one. */
export function meIdentityRoutes(accounts: Accounts): Route[] {
  return [
    route({
      ...shared,
      method: 'GET',
      path: '/v1/me/identities',
      summary: 'List the social sign-ins that are linked to your account',
      description:
        'Signing in with one of them links it, where both have verified the same address.',
      response: z.array(z.object({ id: z.uuid(), provider: z.string(), created_at: stamp })),
      async handle({ principal }) {
        const linked = await listIdentities(accounts.db, principal.accountId)
        return {
          data: linked.map(({ id, provider, createdAt }) => ({
            id,
            provider,
            created_at: createdAt.toISOString(),
          })),
        }
      },
    }),
    route({
      ...shared,
      method: 'DELETE',
      path: '/v1/me/identities/:id',
      summary: 'Unlink a social sign-in',
      description:
        'It no longer signs in to your account. The last way in cannot be unlinked: 409. You are told, with a link that undoes it for seven days.',
      params: z.object({ id: z.guid().toLowerCase() }),
      body: z.object(ownerFields).optional(),
      response: z.object({}),
      refuses: ['conflict', 'forbidden'],
      async handle({ principal, params: { id }, body }) {
        const { password, mfa_code: mfaCode } = body ?? {}
        await unlink(accounts, principal, { id, password, mfaCode })
        return { data: {} }
      },
    }),
  ]
}
