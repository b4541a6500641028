import { z } from 'zod'
import { readLogEnd, listAuditEvents, type LoggedEvent } from '../../operators/audit-log-store.ts'
import { findStanding, listOperators, type Operator } from '../../operators/operators-store.ts'
import { creditsNumber } from '../../ledger/money.ts'
import type { Db } from '../../db/db.ts'
import { nothingHere } from '../../http/dialect.ts'
import { route, type Route } from '../../http/route.ts'
import type { OperatorPrincipal } from '../../accounts/principal.ts'
import { stamp } from '../fields.ts'
import { addressFor, countField, reading } from './shared.ts'

type Deps = { db: Db }

/** Who the operators are, and what they did. They are made and removed by commands. */
export function operatorRoutes(deps: Deps): Route[] {
  return [meRoute(deps), operatorsRoute(deps), actionsRoute(deps)]
}

export const roleShape = z.enum(['viewer', 'support', 'owner'])

/** Without a second factor too, so that a page knows what to ask for. */
function meRoute({ db }: Deps): Route {
  return route({
    ...reading('viewer'),
    operator: { role: 'viewer', proof: 'session' },
    method: 'GET',
    path: '/v1/operator/me',
    summary: 'Read your role, and whether your second factor is set up and was given just now',
    response: z.object({
      account_id: z.uuid(),
      role: roleShape,
      name: z.string(),
      authenticator: z.boolean(),
      passkey: z.boolean(),
      second_factor_at: stamp.optional(),
      fresh: z.boolean(),
    }),
    async handle({ principal }) {
      const standing = await findStanding(db, principal)
      if (!standing) throw nothingHere()
      const data = {
        account_id: standing.accountId,
        role: standing.role,
        name: principal.operator.name,
        authenticator: standing.hasAuthenticator,
        passkey: standing.hasPasskey,
        second_factor_at: standing.secondFactorAt?.toISOString(),
        fresh: standing.fresh,
      }
      return { data }
    },
  })
}

const operatorShape = z.object({
  account_id: z.uuid(),
  role: roleShape,
  full_name: z.string(),
  email: z.string().optional(),
  phone_number: z.string().optional(),
  authenticator: z.boolean(),
  passkey: z.boolean(),
  added_at: stamp,
})

function operatorsRoute({ db }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/operators',
    summary: 'List the operators',
    response: z.array(operatorShape),
    async handle({ principal }) {
      const operators = await listOperators(db)
      return { data: operators.map((one) => showOperator(one, principal)) }
    },
  })
}

function showOperator(
  operator: Operator,
  reader: OperatorPrincipal,
): z.infer<typeof operatorShape> {
  return {
    account_id: operator.accountId,
    role: operator.role,
    full_name: operator.fullName,
    email: addressFor(reader, 'email', operator.email),
    phone_number: addressFor(reader, 'phone', operator.phoneNumber),
    authenticator: operator.hasAuthenticator,
    passkey: operator.hasPasskey,
    added_at: operator.addedAt.toISOString(),
  }
}

export const actionShape = z.object({
  seq: z.int(),
  at: stamp,
  operator: z.object({
    account_id: z.uuid().optional().meta({ description: 'Absent for a command' }),
    name: z.string(),
  }),
  action: z.string(),
  target: z.object({ type: z.string(), id: z.string() }),
  reason: z.string().optional(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  amount_credits: z.number().optional(),
  request_id: z.string().optional(),
})

const actionsQuery = z.object({
  operator: z.guid('must be a UUID').toLowerCase().optional(),
  target: z.string().max(200).optional(),
  action: z.string().max(100).optional(),
  reads: z.enum(['true', 'false']).default('false'),
  before: z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(BigInt)
    .optional(),
  limit: countField,
})

function actionsRoute({ db }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/actions',
    summary:
      'List what operators did, newest first. With `before`, the number of an action, only older ' +
      'ones. `end` is the last link of the chain: keep it elsewhere to prove that nothing before ' +
      'it has changed. With `reads=true` also what they only looked at',
    query: actionsQuery,
    response: z.array(actionShape),
    beside: { end: z.object({ seq: z.int(), hash: z.string() }) },
    async handle({ query }) {
      const { operator: operatorId, target: targetId, reads, ...page } = query
      const filter = { operatorId, targetId, reads: reads === 'true' }
      const { action, before, limit } = page
      const actions = await listAuditEvents(db, { ...filter, action, before, limit })
      const end = await readLogEnd(db)
      const beside = { end: { seq: Number(end.seq), hash: end.hash.toString('hex') } }
      return { data: actions.map(showAuditEvent), beside }
    },
  })
}

export function showAuditEvent(action: LoggedEvent): z.infer<typeof actionShape> {
  const { amountMicro, requestId } = action
  return {
    seq: Number(action.seq),
    at: action.at.toISOString(),
    operator: { account_id: action.operatorId ?? undefined, name: action.operator },
    action: action.action,
    target: { type: action.targetType, id: action.targetId },
    reason: action.reason ?? undefined,
    before: action.before ?? undefined,
    after: action.after ?? undefined,
    amount_credits: amountMicro === null ? undefined : creditsNumber(amountMicro),
    request_id: requestId ?? undefined,
  }
}
