import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { JSON_TYPE, type Answer } from '../lib/answer.ts'
import type { Failure } from '../lib/failure.ts'
import { renderFailure } from './dialect.ts'
import { discardBody } from './discard.ts'
import { allowOrigin } from './headers.ts'
import type { Slot } from './limits/process-counter.ts'
import { sendOutflow } from './outflow.ts'
import type { RequestContext } from './request-context.ts'
import type { Dialect } from './route.ts'
import type { ServerContext } from './server-context.ts'

/** The only way out: every answer, good or bad, passes here once. */
export function send(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): void {
  const { call } = request
  call?.trace?.answered(answer.status)
  reply.code(answer.status).headers(context.standardHeaders).header('x-request-id', request.id)
  if (context.corsOrigin !== undefined) allowOrigin(context.corsOrigin, request, reply)
  if (call?.slot !== undefined && call.plan.sendsLimits)
    addLimits(reply, call.slot, call.plan.route.dialect)
  if (context.running.draining) reply.header('connection', 'close')
  reply.headers(answer.headers)
  // Anthropic's clients know it by this name; of a kept answer it is that of the first call.
  if (call?.plan.route.dialect === 'messages') {
    reply.header('request-id', reply.getHeader('x-request-id'))
  }
  if (!request.raw.complete) discardBody(request, reply)
  const { body } = answer
  if (body instanceof Readable) sendStream(request, reply, body)
  else if (typeof body === 'object' && 'flow' in body) sendOutflow(request, reply, body)
  else {
    reply.send(body)
    if (call) endWhenRead(call, reply, body.length)
  }
}

const LARGE_BYTES = 64 * 1024
const STALLED_MS = 60_000

/** A large answer is held, and counted, until its reader has it; one that takes nothing is left. */
function endWhenRead(call: RequestContext, { raw }: FastifyReply, bytes: number): void {
  if (bytes < LARGE_BYTES || raw.destroyed) return call.end()
  call.holdAnswer(bytes)
  raw.setTimeout(STALLED_MS, () => raw.destroy())
  raw.once('close', () => call.end())
}

export function sendFailure(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { failure, dialect }: { failure: Failure; dialect: Dialect },
): void {
  const { status, headers, body } = renderFailure(failure, dialect, request.id)
  headers['content-type'] = JSON_TYPE
  send(context, request, reply, { status, headers, body })
}

function sendStream(request: FastifyRequest, reply: FastifyReply, body: Readable): void {
  const { call } = request
  if (request.method === 'HEAD') {
    // The body of a HEAD is never sent: do not fetch it only to throw it away.
    body.destroy()
    reply.send('')
    call?.end()
    return
  }
  body.once('close', () => call?.end())
  reply.send(body)
}

/** Named and formatted as the SDKs of the dialect know them. */
function addLimits(reply: FastifyReply, slot: Slot, dialect: Dialect): void {
  if (dialect === 'messages') {
    const reset = new Date(Date.now() + slot.resetS * 1_000).toISOString()
    reply.header('anthropic-ratelimit-requests-limit', String(slot.limit))
    reply.header('anthropic-ratelimit-requests-remaining', String(slot.remaining))
    reply.header('anthropic-ratelimit-requests-reset', reset)
    return
  }
  reply.header('x-ratelimit-limit-requests', String(slot.limit))
  reply.header('x-ratelimit-remaining-requests', String(slot.remaining))
  reply.header('x-ratelimit-reset-requests', `${slot.resetS}s`)
}
