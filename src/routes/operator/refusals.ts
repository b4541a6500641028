import { z } from 'zod'
import { listRefusals } from '../../operators/refusals-store.ts'
import { operatorActor } from '../../operators/actor.ts'
import { noteRead } from '../../operators/audit-log.ts'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import { momentField, stamp } from '../fields.ts'
import { countField, reading } from './shared.ts'

const refusalShape = z.object({
  account_id: z.uuid(),
  is_operator: z.boolean(),
  why: z.enum([
    'no_operator',
    'api_key',
    'foreign_host',
    'foreign_network',
    'role',
    'second_factor',
    'rule',
  ]),
  count: z.int(),
  first_at: stamp,
  last_at: stamp,
  what: z.string().meta({ description: 'Of the last one: the route, or the rule' }),
  address: z.string().optional().meta({ description: 'Not shown to a viewer' }),
  request_id: z.string(),
})

/** Who was refused as an operator. */
export function refusalsRoute({ db }: { db: Db }): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/refusals',
    summary:
      'List who was refused here, the latest first: one row for each account, hour and reason, with ' +
      'how often. With `before`, a time, only older ones',
    query: z.object({
      account: z.guid('must be a UUID').toLowerCase().optional(),
      before: momentField.optional(),
      limit: countField,
    }),
    response: z.array(refusalShape),
    async handle(call) {
      const { principal, query } = call
      const { account: accountId, before, limit } = query
      const target = { type: 'refusals', id: accountId ?? 'all' }
      await noteRead(db, operatorActor(call), { action: 'read.refusals', target })
      const found = await listRefusals(db, { accountId, before, limit })
      const data: z.infer<typeof refusalShape>[] = found.map((one) => ({
        account_id: one.accountId,
        is_operator: one.isOperator,
        why: one.why,
        count: one.count,
        first_at: one.firstAt.toISOString(),
        last_at: one.lastAt.toISOString(),
        what: one.what,
        address: principal.operator.role === 'viewer' ? undefined : one.address,
        request_id: one.requestId,
      }))
      return { data }
    },
  })
}
