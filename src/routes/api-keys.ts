import { z } from 'zod'
import type { Accounts } from '../accounts/accounts.ts'
import { usageOfKey, type KeyUsage } from '../activity/period.ts'
import {
  createApiKey,
  listApiKeys,
  renameApiKey,
  revokeApiKey,
  showApiKey,
  type KeyView,
} from '../accounts/workspaces/api-keys.ts'
import { creditsNumber } from '../ledger/money.ts'
import { totalsOf } from '../ledger/statement.ts'
import { route, type Route } from '../http/route.ts'
import { keyShape } from './account-shapes.ts'
import { line, momentField, pageQuery, pagination, stamp } from './fields.ts'

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

const MINUTES_A_DAY = 1_440

/** Members that OpenRouter's SDK wants to see, of what there is none of here. */
const NEVER = {
  allowed_data_regions: ['global'],
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_monthly: 0,
  byok_usage_weekly: 0,
  creator_user_id: null,
  include_byok_in_limit: false,
  is_management_key: false,
  is_provisioning_key: false,
  organization_id: null,
}

const none = z.literal(0)
const no = z.literal(false)
const nobody = z.null().meta({ example: null })
const NEVER_SHAPE = {
  allowed_data_regions: z.array(z.literal('global')),
  byok_usage: none,
  byok_usage_daily: none,
  byok_usage_monthly: none,
  byok_usage_weekly: none,
  creator_user_id: nobody,
  include_byok_in_limit: no,
  is_management_key: no,
  is_provisioning_key: no,
  organization_id: nobody,
}

const currentKey = z.object({
  ...keyShape.pick({ id: true, name: true, status: true, created_at: true }).shape,
  label: z
    .string()
    .meta({ description: 'How the key begins and ends', example: 'mlg_Zk3vQ0aB…x9Tf' }),
  workspace_id: z.uuid(),
  workspace_slug: z.string(),
  expires_at: stamp.nullable(),
  usage: z.number().meta({ description: 'Credits that its calls cost in the last 93 days' }),
  usage_daily: z.number().meta({ description: 'Of today, as the time zone of the service has it' }),
  usage_weekly: z.number().meta({ description: 'Since Monday' }),
  usage_monthly: z.number().meta({ description: 'Since the first of the month' }),
  limit: z.number().nullable().meta({ description: 'Credits that it may use; null: no limit' }),
  limit_remaining: z.number().nullable(),
  limit_reset: z.string().nullable(),
  is_free_tier: z.boolean().meta({ description: 'The account has never bought credits' }),
  ...NEVER_SHAPE,
  free_model_daily_requests: z
    .object({ limit: z.int(), remaining: z.int(), used: z.literal(0) })
    .meta({ description: 'Not counted: as many as the rate limit lets through in a day' }),
  rate_limit: z.object({ requests: z.int(), interval: z.string(), note: z.string() }),
})

type OwnKey = { accounts: Accounts; timeZone: string; perMinute: number }

/** What a program may know of the key that it calls with. */
export function ownKeyRoute({ accounts, timeZone: zone, perMinute }: OwnKey): Route {
  return route({
    method: 'GET',
    path: '/v1/key',
    summary: 'Read about the API key that asks',
    description: 'As with OpenRouter, in credits of this service. Access tokens are refused.',
    tag: 'API keys',
    credential: 'key',
    dialect: 'envelope',
    limit: 'principal',
    response: currentKey,
    async handle({ principal: { accountId, keyId } }) {
      const { db, clock } = accounts
      const key = await showApiKey(accounts, { accountId, id: keyId })
      const used = await usageOfKey(db, { accountId, keyId, now: clock.now(), zone })
      const { bought } = await totalsOf(db, accountId)
      return { data: { ...showOwn(key, used), is_free_tier: !bought, ...limitsOf(perMinute) } }
    },
  })
}

function showOwn(key: KeyView, used: KeyUsage) {
  const { id, name, status, created_at, workspace_id, workspace_slug } = key
  return {
    id,
    name,
    status,
    created_at,
    workspace_id,
    workspace_slug,
    label: `${key.prefix}…${key.last4}`,
    expires_at: key.expires_at ?? null,
    usage: creditsNumber(used.allMicro),
    usage_daily: creditsNumber(used.dayMicro),
    usage_weekly: creditsNumber(used.weekMicro),
    usage_monthly: creditsNumber(used.monthMicro),
  }
}

function limitsOf(requests: number) {
  const aDay = requests * MINUTES_A_DAY
  return {
    limit: null,
    limit_remaining: null,
    limit_reset: null,
    ...NEVER,
    free_model_daily_requests: { limit: aDay, remaining: aDay, used: 0 },
    rate_limit: { requests, interval: '1m', note: 'The RateLimit headers say what is left.' },
  }
}
