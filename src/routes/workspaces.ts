import { z } from 'zod'
import type { Accounts } from '../accounts/accounts.ts'
import {
  createWorkspace,
  deleteWorkspace,
  readWorkspace,
  updateWorkspace,
  workspacesOf,
} from '../accounts/workspaces/workspaces.ts'
import { route, type Route } from '../http/route.ts'
import { workspaceShape } from './account-shapes.ts'
import { visibleText } from '../lib/visible-text.ts'
import { line, pageQuery, pagination } from './fields.ts'

export function workspaceRoutes(accounts: Accounts): Route[] {
  return [listRoute(accounts), createRoute(accounts), ...oneRoutes(accounts)]
}

const shared = {
  tag: 'Workspaces',
  credential: 'jwt',
  dialect: 'envelope',
  limit: 'principal',
} as const
const params = z.object({ slug: z.string().regex(/^[a-z0-9-]{1,63}$/) })
/** As the OpenAPI document says it; `readSlug` judges. */
const SLUG_OR_NONE = '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)?$'
const description = z.string().max(500).overwrite(visibleText)

function listRoute(accounts: Accounts): Route {
  return route({
    ...shared,
    method: 'GET',
    path: '/v1/workspaces',
    summary: 'List your workspaces, the default one first',
    description: 'A workspace groups API keys and the records of their calls.',
    query: z.object(pageQuery),
    response: z.array(workspaceShape),
    async handle(call) {
      const all = await workspacesOf(accounts, call.principal.accountId)
      const { limit, offset } = call.query
      const data = all.slice(offset, offset + limit)
      const found = { total: all.length, hasMore: offset + limit < all.length }
      return { data, beside: pagination(call.query, found) }
    },
  })
}

function createRoute(accounts: Accounts): Route {
  return route({
    ...shared,
    method: 'POST',
    path: '/v1/workspaces',
    summary: 'Create a workspace',
    description:
      'An account has at most 20 besides the default one. Its slug cannot be changed later.',
    successStatus: 201,
    body: z.object({
      name: line(1, 100),
      slug: z
        .string()
        .max(100)
        .meta({ override: { pattern: SLUG_OR_NONE, maxLength: 63 } })
        .optional()
        .meta({ description: 'Left out or empty: made of the name' }),
      description: description.optional(),
    }),
    response: workspaceShape,
    refuses: ['conflict'],
    handle: async (call) => ({
      data: await createWorkspace(accounts, call.principal.accountId, call.body),
    }),
  })
}

function oneRoutes(accounts: Accounts): Route[] {
  const one = { ...shared, path: '/v1/workspaces/:slug', params }
  const keyOf = (call: { principal: { accountId: string }; params: { slug: string } }) => ({
    accountId: call.principal.accountId,
    slug: call.params.slug,
  })
  return [
    route({
      ...one,
      method: 'GET',
      summary: 'Read a workspace',
      description: 'The slug of the default workspace is `default`.',
      response: workspaceShape,
      handle: async (call) => ({ data: await readWorkspace(accounts, keyOf(call)) }),
    }),
    route({
      ...one,
      method: 'PATCH',
      summary: 'Change the name or description of a workspace',
      description: 'Send only what changes. An empty description removes it.',
      body: z.object({ name: line(1, 100).optional(), description: description.optional() }),
      response: workspaceShape,
      handle: async (call) => ({ data: await updateWorkspace(accounts, keyOf(call), call.body) }),
    }),
    route({
      ...one,
      method: 'DELETE',
      summary: 'Delete a workspace. Its API keys move to the default one',
      description: 'The default workspace cannot be deleted.',
      response: z.object({ status: z.literal('deleted') }),
      async handle(call) {
        await deleteWorkspace(accounts, keyOf(call))
        return { data: { status: 'deleted' } }
      },
    }),
  ]
}
