import { z } from 'zod'
import type { Accounts } from '../accounts/accounts.ts'
import {
  createApiKey,
  listApiKeys,
  renameApiKey,
  revokeApiKey,
} from '../accounts/workspaces/api-keys.ts'
import { route, type Route } from '../http/route.ts'
import { keyShape } from './account-shapes.ts'
import { line, momentField, pageQuery, pagination } from './fields.ts'

export function apiKeyRoutes(accounts: Accounts): Route[] {
  return [createRoute(accounts), listRoute(accounts), renameRoute(accounts), revokeRoute(accounts)]
}

const shared = {
  tag: 'API keys',
  credential: 'jwt',
  dialect: 'envelope',
  limit: 'principal',
} as const
const params = z.object({ id: z.uuid() })

function createRoute(accounts: Accounts): Route {
  return route({
    ...shared,
    method: 'POST',
    path: '/v1/api-keys',
    summary: 'Create an API key. The key itself is shown only once',
    description:
      'Keep it on a server, never in an app or a page. An account has at most 50 keys that work.',
    successStatus: 201,
    body: z
      .object({
        name: line(1, 64),
        workspace_id: z.uuid().optional(),
        workspace_slug: z.string().max(100).optional(),
        expires_at: momentField.optional(),
      })
      .refine((b) => b.workspace_id === undefined || b.workspace_slug === undefined, {
        path: ['workspace_slug'],
        message: 'must be left out when workspace_id is sent',
      }),
    response: keyShape.extend({ key: z.string() }),
    refuses: ['not_found'],
    async handle(call) {
      const { name, workspace_id: workspaceId, workspace_slug: workspaceSlug } = call.body
      const expiresAt = call.body.expires_at
      const key = { name, workspaceId, workspaceSlug, expiresAt }
      const data = await createApiKey(accounts, call.principal.accountId, key)
      return { data, headers: { 'cache-control': 'no-store' } }
    },
  })
}

function listRoute(accounts: Accounts): Route {
  return route({
    ...shared,
    method: 'GET',
    path: '/v1/api-keys',
    summary: 'List API keys, newest first',
    description: 'Revoked keys are listed only with `include_revoked`.',
    query: z.object({
      ...pageQuery,
      workspace_id: z.uuid().optional().meta({ description: 'Only those of this workspace' }),
      include_revoked: z
        .enum(['true', 'false'])
        .default('false')
        .meta({ description: 'Whether keys that no longer work are listed too' }),
    }),
    response: z.array(keyShape),
    async handle(call) {
      const { limit, offset, workspace_id: workspaceId, include_revoked } = call.query
      const page = { limit, offset, workspaceId, includeRevoked: include_revoked === 'true' }
      const { keys, total } = await listApiKeys(accounts, call.principal.accountId, page)
      const hasMore = offset + keys.length < total
      return { data: keys, beside: pagination(call.query, { total, hasMore }) }
    },
  })
}

function renameRoute(accounts: Accounts): Route {
  return route({
    ...shared,
    method: 'PATCH',
    path: '/v1/api-keys/:id',
    summary: 'Rename an API key',
    description: 'The key itself stays as it is.',
    params,
    body: z.object({ name: line(1, 64) }),
    response: keyShape,
    async handle(call) {
      const wanted = { accountId: call.principal.accountId, id: call.params.id }
      return { data: await renameApiKey(accounts, wanted, call.body.name) }
    },
  })
}

function revokeRoute(accounts: Accounts): Route {
  return route({
    ...shared,
    method: 'DELETE',
    path: '/v1/api-keys/:id',
    summary: 'Revoke an API key, at once and for ever',
    description: 'Calls with it get 401 from then on.',
    params,
    response: z.object({ status: z.literal('revoked') }),
    async handle(call) {
      await revokeApiKey(accounts, { accountId: call.principal.accountId, id: call.params.id })
      return { data: { status: 'revoked' } }
    },
  })
}
