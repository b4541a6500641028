import { z } from 'zod'
import { operatorActor } from '../../operators/actor.ts'
import { resendMessage } from '../../operators/message-actions.ts'
import { noteRead } from '../../operators/audit-log.ts'
import type { Db } from '../../db/db.ts'
import { route, type Route } from '../../http/route.ts'
import { Failure } from '../../lib/failure.ts'
import type { OperatorPrincipal } from '../../accounts/principal.ts'
import { listMessages, type OutboxRow } from '../../notices/outbox-store.ts'
import { stamp } from '../fields.ts'
import { acting, addressFor, idParams, countField, reading, reasonField } from './shared.ts'

type Deps = { db: Db }

/** Mail and SMS. What a message says is never shown: it may contain a code. */
export function outboxRoutes(deps: Deps): Route[] {
  return [listRoute(deps), resendRoute(deps)]
}

const STATES = ['waiting', 'sent', 'dead', 'folded'] as const

export const messageShape = z.object({
  id: z.uuid(),
  channel: z.enum(['email', 'sms']),
  to: z.string().optional(),
  state: z.enum(STATES),
  attempts: z.int(),
  last_error: z.string().optional(),
  resendable: z.boolean(),
  created_at: stamp,
})

function listRoute({ db }: Deps): Route {
  return route({
    ...reading('viewer'),
    method: 'GET',
    path: '/v1/operator/outbox',
    summary: 'List messages, newest first: those that wait or are undeliverable, or of one state',
    query: z.object({ state: z.enum(STATES).optional(), limit: countField }),
    response: z.array(messageShape),
    async handle(call) {
      const { principal, query } = call
      const { state, limit } = query
      const target = { type: 'messages', id: state ?? 'open' }
      await noteRead(db, operatorActor(call), { action: 'read.messages', target })
      const messages = await listMessages(db, { state, limit })
      return { data: messages.map((one) => showMessage(one, principal)) }
    },
  })
}

export function showMessage(
  message: OutboxRow,
  reader: OperatorPrincipal,
): z.infer<typeof messageShape> {
  const { channel } = message
  return {
    id: message.id,
    channel,
    to: addressFor(reader, channel === 'sms' ? 'phone' : 'email', message.recipient),
    state: message.state,
    attempts: message.attempts,
    last_error: message.lastError ?? undefined,
    resendable: message.state === 'dead' && message.resendable,
    created_at: message.createdAt.toISOString(),
  }
}

function resendRoute({ db }: Deps): Route {
  return route({
    ...acting('support'),
    method: 'POST',
    path: '/v1/operator/outbox/:id/resend',
    summary: 'Queue an undeliverable message again',
    params: idParams,
    body: z.object({ reason: reasonField.optional() }),
    response: z.object({}),
    async handle(call) {
      const wanted = { id: call.params.id, reason: call.body.reason }
      if (await resendMessage(db, operatorActor(call), wanted)) return { data: {} }
      throw new Failure(
        'not_found',
        'There is no undeliverable message with this id, or its text has been deleted.',
      )
    },
  })
}
