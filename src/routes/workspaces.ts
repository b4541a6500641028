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
const description = z.string().max(500)

function listRoute(accounts: Accounts): Route {
  return route({
    ...shared,
    method: 'GET',
    path: '/v1/workspaces',
    summary: 'List your workspaces, the default one first',
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
    successStatus: 201,
    body: z.object({
      name: line(1, 100),
      slug: z.string().max(100).optional(),
      description: description.optional(),
    }),
    response: workspaceShape,
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
      response: workspaceShape,
      handle: async (call) => ({ data: await readWorkspace(accounts, keyOf(call)) }),
    }),
    route({
      ...one,
      method: 'PATCH',
      summary: 'Change the name or description of a workspace',
      body: z.object({ name: line(1, 100).optional(), description: description.optional() }),
      response: workspaceShape,
      handle: async (call) => ({ data: await updateWorkspace(accounts, keyOf(call), call.body) }),
    }),
    route({
      ...one,
      method: 'DELETE',
      summary: 'Delete a workspace. Its API keys move to the default one',
      response: z.object({ status: z.literal('deleted') }),
      async handle(call) {
        await deleteWorkspace(accounts, keyOf(call))
        return { data: { status: 'deleted' } }
      },
    }),
  ]
}
