import { z } from 'zod'
import { creditsNumber } from '../ledger/money.ts'
import type { Balance, StatementEntry } from '../ledger/statement.ts'
import { balanceOf, ENTRY_TYPES, statement } from '../ledger/statement.ts'
import type { Db } from '../db/db.ts'
import { route, type Route } from '../http/route.ts'
import { momentField, pageQuery, pagination } from './fields.ts'

type Deps = { db: Db }

export function billingRoutes(deps: Deps): Route[] {
  return [balanceRoute(deps), transactionsRoute(deps)]
}

export const balanceShape = z.object({
  balance_credits: z.number(),
  reserved_credits: z.number(),
  available_credits: z.number(),
  currency: z.literal('credits'),
})

function balanceRoute({ db }: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/billing/balance',
    summary: 'Read the balance, how much of it running calls have reserved, and what is available',
    description: 'A call reserves what it may cost and gives back what it did not.',
    tag: 'Billing',
    credential: 'either',
    dialect: 'envelope',
    limit: 'principal',
    response: balanceShape,
    async handle({ principal }) {
      return { data: showBalance(await balanceOf(db, principal.accountId)) }
    },
  })
}

export function showBalance(balance: Balance): z.infer<typeof balanceShape> {
  return {
    balance_credits: creditsNumber(balance.balanceMicro),
    reserved_credits: creditsNumber(balance.heldMicro),
    available_credits: creditsNumber(balance.availableMicro),
    currency: 'credits',
  }
}

const moment = momentField.refine((at) => at.getUTCFullYear() >= 1970, 'must be in 1970 or later')

export const transactionsQuery = z.object({
  ...pageQuery,
  type: z.enum(ENTRY_TYPES).optional().meta({ description: 'Only entries of this kind' }),
  from: moment.optional().meta({ description: 'The first instant' }),
  to: moment.optional().meta({ description: 'The instant after the last' }),
})

export const transactionShape = z.object({
  id: z.uuid(),
  type: z.enum(ENTRY_TYPES),
  amount_credits: z.number(),
  balance_after_credits: z.number(),
  description: z.string(),
  reference: z.object({ type: z.string(), id: z.string() }).optional(),
  workspace_id: z.uuid().optional(),
  created_at: z.iso.datetime(),
})

function transactionsRoute({ db }: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/billing/transactions',
    summary: 'List the transactions of the account, newest first',
    description:
      'What was added and what calls cost, with the balance after each. `from` is included, `to` is not.',
    tag: 'Billing',
    credential: 'jwt',
    dialect: 'envelope',
    limit: 'principal',
    query: transactionsQuery,
    response: z.array(transactionShape),
    async handle({ principal, query }) {
      const { accountId } = principal
      const { type, from, to, limit, offset } = query
      const found = await statement(db, { accountId, type, from, to, limit, offset })
      return { data: found.entries.map(showEntry), beside: pagination(query, found) }
    },
  })
}

export function showEntry(entry: StatementEntry): z.infer<typeof transactionShape> {
  return {
    id: entry.id,
    type: entry.type,
    amount_credits: creditsNumber(entry.amountMicro),
    balance_after_credits: creditsNumber(entry.balanceAfterMicro),
    description: entry.description,
    reference: entry.reference,
    workspace_id: entry.workspaceId,
    created_at: entry.createdAt.toISOString(),
  }
}
