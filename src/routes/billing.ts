import { z } from 'zod'
import { creditsNumber } from '../ledger/money.ts'
import type { Balance, StatementEntry } from '../ledger/statement.ts'
import { balanceOf, ENTRY_TYPES, statement, totalsOf } from '../ledger/statement.ts'
import type { Db } from '../db/db.ts'
import { quoteOf, type Quote } from '../gateway/quote.ts'
import { route, type Call, type Route } from '../http/route.ts'
import { readInnerBody } from '../http/schema.ts'
import { Failure, invalidField, renamed } from '../lib/failure.ts'
import { tzsFor } from '../payments/topup.ts'
import { momentField, pageQuery, pagination } from './fields.ts'

type Deps = { db: Db }

export function billingRoutes(deps: Deps): Route[] {
  return [balanceRoute(deps), creditsRoute(deps), transactionsRoute(deps)]
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

function creditsRoute({ db }: Deps): Route {
  return route({
    method: 'GET',
    path: '/v1/credits',
    summary: 'Read the credits that were ever added, and those used',
    description: 'As with OpenRouter, in credits of this service. Their difference is the balance.',
    tag: 'Billing',
    credential: 'either',
    dialect: 'envelope',
    limit: 'principal',
    response: z.object({ total_credits: z.number(), total_usage: z.number() }),
    async handle({ principal }) {
      const { addedMicro, usedMicro } = await totalsOf(db, principal.accountId)
      const total_usage = creditsNumber(usedMicro)
      return { data: { total_credits: creditsNumber(addedMicro), total_usage } }
    },
  })
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

const QUOTE_LIMIT_BYTES = 14_600_000

const quoteBody = z.object({
  path: z.string().max(100).meta({ example: '/v1/chat/completions' }),
  body: z.unknown().meta({
    description: 'What would be sent there, as JSON',
    example: { model: 'sim/hekima', messages: [{ role: 'user', content: 'Habari ya asubuhi!' }] },
  }),
})

const amount = z.object({
  credits: z.number(),
  tzs: z.int().meta({ description: 'What these credits cost in a top-up, in whole shillings' }),
})

const quoteShape = z.object({
  path: z.string(),
  model: z.string(),
  hold: amount.meta({ description: 'What the call would reserve, where the account has as much' }),
  likely: amount.meta({
    description:
      'What it would probably cost, with an answer of 300 tokens (of a model that thinks 1,024) or what was asked for, if that is less',
  }),
  most: amount.meta({ description: 'What it may come to cost at the very most' }),
})

type Quoting = {
  /** The paid routes, of a gateway that only weighs calls. */
  paid: readonly Route[]
  /** What a top-up gives. */
  creditsPerTzs: string
}

/** The same route judges the body, and the same code computes the hold: nothing is done for it. */
export function quoteRoute({ paid, creditsPerTzs }: Quoting): Route {
  const routes = new Map(paid.map((one) => [one.path, one]))
  return route({
    method: 'POST',
    path: '/v1/billing/quote',
    summary: 'Ask what a call would reserve and what it is likely to cost. Free of charge',
    description: `No model is asked. Bad fields are refused as the call itself would refuse them, with \`body.\` before their names. Paths: ${[...routes.keys()].join(', ')}; files are sent as base64.`,
    tag: 'Billing',
    credential: 'either',
    dialect: 'envelope',
    limit: 'principal',
    bodyLimitBytes: QUOTE_LIMIT_BYTES,
    body: quoteBody,
    response: quoteShape,
    refuses: ['not_found', 'insufficient', 'unsuitable'],
    async handle(call) {
      const { path } = call.body
      const asked = routes.get(path)
      if (asked === undefined) {
        throw invalidField('path', `must be one of ${[...routes.keys()].join(', ')}`)
      }
      const inner = async () =>
        asked.handle(innerCall(call, readInnerBody(asked, call.body.body, 'body')))
      const quote = await quoteOf(inner).catch(ofBody)
      return { data: showQuote(path, quote, creditsPerTzs) }
    },
  })
}

function ofBody(error: unknown): never {
  if (!(error instanceof Failure) || error.param === undefined) throw error
  throw renamed(error, `body.${error.param}`)
}

/** The call as its own route would see it, without a key to remember it by. */
function innerCall(call: Call<unknown, unknown, unknown>, body: unknown): typeof call {
  return {
    requestId: call.requestId,
    principal: call.principal,
    headers: call.headers,
    address: call.address,
    signal: call.signal,
    body,
    query: undefined,
    params: undefined,
    claim: undefined,
    form: undefined,
    arrivedBytes: call.arrivedBytes,
    stay: () => {},
    abort: (reason) => call.abort(reason),
    holdRead: (bytes) => call.holdRead(bytes),
    render: (success) => call.render(success),
    renderError: (error) => call.renderError(error),
  }
}

function showQuote(path: string, quote: Quote, creditsPerTzs: string): z.infer<typeof quoteShape> {
  const show = (micro: bigint) => ({
    credits: creditsNumber(micro),
    tzs: tzsFor(micro, creditsPerTzs),
  })
  const { stage, holdMicro, likelyMicro, mostMicro } = quote
  const amounts = { hold: show(holdMicro), likely: show(likelyMicro), most: show(mostMicro) }
  return { path, model: stage.model, ...amounts }
}
