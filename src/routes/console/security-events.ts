import { z } from 'zod'
import type { Db } from '../../db/db.ts'
import {
  listSecurityEvents,
  type SecurityEvent,
} from '../../accounts/profile/security-events-store.ts'
import { route, type Route } from '../../http/route.ts'
import { pageQuery, pagination, stamp } from '../fields.ts'

const eventShape = z.object({
  id: z.uuid().meta({ description: 'Of the session, the API key or the notification' }),
  type: z.string().meta({
    example: 'session.opened',
    description:
      '`session.opened`, `session.ended`, `api_key.created`, `api_key.revoked`, or the type of a ' +
      'notification about a change, such as `security.password_changed`',
  }),
  created_at: stamp,
  title: z.string().optional().meta({ description: 'Of the notification' }),
  device: z.object({ browser: z.string().optional(), system: z.string().optional() }).optional(),
  network: z
    .string()
    .optional()
    .meta({ example: '196.41.12.x', description: 'From where the session was opened' }),
  new_network: z
    .boolean()
    .optional()
    .meta({ description: 'No earlier session that is still remembered was from there' }),
  reason: z.string().optional().meta({ example: 'logout', description: 'Why the session ended' }),
  name: z.string().optional().meta({ description: 'Of the API key' }),
  last4: z.string().optional().meta({ description: 'Of the API key' }),
})

/** What has happened to the ways into the account, for its owner. */
export function securityEventsRoute({ db }: { db: Db }): Route {
  return route({
    tag: 'Profile',
    credential: 'jwt',
    dialect: 'envelope',
    limit: 'principal',
    method: 'GET',
    path: '/v1/me/security-events',
    summary: 'List sign-ins, changes of how you sign in, and API keys made and revoked',
    description:
      'Newest first. Each goes when its session, key or notification does: an ended session after ' +
      '30 days, a revoked key after 90, a notification after 180, unless the operator says otherwise.',
    query: z.object(pageQuery),
    response: z.array(eventShape),
    async handle({ principal: { accountId }, query }) {
      const { limit, offset } = query
      const { events, total } = await listSecurityEvents(db, { accountId, limit, offset })
      const hasMore = offset + events.length < total
      return { data: events.map(show), beside: pagination(query, { total, hasMore }) }
    },
  })
}

function show(event: SecurityEvent): z.infer<typeof eventShape> {
  const { id, type, at, title, browser, system, seenFrom, newNetwork, reason, name, last4 } = event
  return {
    id,
    type,
    created_at: at.toISOString(),
    title,
    ...(type.startsWith('session.') && { device: { browser, system } }),
    network: seenFrom,
    new_network: newNetwork,
    reason,
    name,
    last4,
  }
}
