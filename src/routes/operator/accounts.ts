import { z } from 'zod'
import { noAccount } from '../../operators/account-actions.ts'
import { operatorActor } from '../../operators/actor.ts'
import { noteRead, withAuditLog } from '../../operators/audit-log.ts'
import { searchAccounts, type FoundAccount } from '../../operators/search-store.ts'
import { readAccountOverview, type AccountOverview } from '../../operators/account-overview.ts'
import { creditsNumber } from '../../ledger/money.ts'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import type { OperatorPrincipal } from '../../accounts/principal.ts'
import { balanceShape, showBalance } from '../billing.ts'
import { stamp } from '../fields.ts'
import { actionShape, roleShape, showAuditEvent } from './operators.ts'
import { messageShape, showMessage } from './outbox.ts'
import { addressFor, idParams, countField, reading } from './shared.ts'

type Deps = { db: Db }

/** Finding a customer, and an overview of the account. */
export function accountRoutes(deps: Deps): Route[] {
  return [searchRoute(deps), storyRoute(deps)]
}

const statusShape = z.enum(['pending_verification', 'active', 'suspended'])

const person = {
  id: z.uuid(),
  full_name: z.string(),
  email: z.string().optional(),
  phone_number: z.string().optional(),
  status: statusShape,
  created_at: stamp,
}

const foundShape = z.object({ ...person, balance_credits: z.number() })

const searchQuery = z.object({
  q: z.string().max(320).optional(),
  status: statusShape.optional(),
  before: z.guid('must be a UUID').toLowerCase().optional(),
  limit: countField,
})

function searchRoute({ db }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/accounts',
    summary:
      'Find accounts, newest first: by email address, phone number, the id of an account, API key ' +
      'or payment, the beginning of a key, or the reference of a payment',
    perMinute: 60,
    query: searchQuery,
    response: z.array(foundShape),
    async handle(call) {
      const { principal, query } = call
      const { q, status, before, limit } = query
      const found = await searchAccounts(db, { q, status, before, limit })
      // Neither what was looked for, which is an address, nor a name: who was found.
      const target = { type: 'accounts', id: q === undefined ? 'list' : 'search' }
      const after = { accounts: found.map(({ id }) => id) }
      await withAuditLog(db, operatorActor(call), (_tx, record) =>
        record({ action: 'read.search', target, after }),
      )
      return { data: found.map((one) => showFound(one, principal)) }
    },
  })
}

function showFound(found: FoundAccount, reader: OperatorPrincipal): z.infer<typeof foundShape> {
  return { ...showPerson(found, reader), balance_credits: creditsNumber(found.balanceMicro) }
}

function showPerson(one: Omit<FoundAccount, 'balanceMicro'>, reader: OperatorPrincipal) {
  return {
    id: one.id,
    full_name: one.fullName,
    email: addressFor(reader, 'email', one.email),
    phone_number: addressFor(reader, 'phone', one.phoneNumber),
    status: one.status,
    created_at: one.createdAt.toISOString(),
  }
}

const accountOverviewShape = z.object({
  ...person,
  email_verified: z.boolean(),
  phone_verified: z.boolean(),
  mfa_method: z.enum(['none', 'totp', 'email', 'phone', 'passkey']),
  operator_role: roleShape.optional(),
  balance: balanceShape,
  sessions: z.array(
    z.object({
      id: z.uuid(),
      kind: z.enum(['browser', 'app']),
      device: z.object({ browser: z.string().optional(), system: z.string().optional() }),
      created_at: stamp,
      last_used_at: stamp,
    }),
  ),
  api_keys: z.array(
    z.object({
      id: z.uuid(),
      name: z.string(),
      prefix: z.string(),
      last4: z.string(),
      status: z.enum(['active', 'revoked', 'expired']),
      created_at: stamp,
      last_used_at: stamp.optional(),
    }),
  ),
  messages: z.array(messageShape),
  actions: z.array(actionShape),
})

function storyRoute({ db }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/accounts/:id',
    summary:
      'Read an account: who it is, its balance, sessions, API keys, messages, and what operators did',
    params: idParams,
    response: accountOverviewShape,
    async handle(call) {
      const { principal, params } = call
      const target = { type: 'account', id: params.id }
      await noteRead(db, operatorActor(call), { action: 'read.account', target })
      const overview = await readAccountOverview(db, params.id)
      if (!overview) throw noAccount()
      return { data: showAccountOverview(overview, principal) }
    },
  })
}

function showAccountOverview(
  overview: AccountOverview,
  reader: OperatorPrincipal,
): z.infer<typeof accountOverviewShape> {
  const { account } = overview
  return {
    ...showPerson(account, reader),
    email_verified: account.emailVerified,
    phone_verified: account.phoneVerified,
    mfa_method: account.mfaMethod,
    operator_role: overview.operatorRole,
    balance: showBalance(overview.balance),
    sessions: overview.sessions.map((one) => ({
      id: one.id,
      kind: one.cookie ? 'browser' : 'app',
      device: { browser: one.browser, system: one.system },
      created_at: one.createdAt.toISOString(),
      last_used_at: one.usedAt.toISOString(),
    })),
    api_keys: overview.keys.map((one) => ({
      id: one.id,
      name: one.name,
      prefix: one.prefix,
      last4: one.last4,
      status: one.status,
      created_at: one.createdAt.toISOString(),
      last_used_at: one.lastUsedAt?.toISOString(),
    })),
    messages: overview.messages.map((one) => showMessage(one, reader)),
    actions: overview.actions.map(showAuditEvent),
  }
}
