import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '../lib/answer.ts'
import type { Failure } from '../lib/failure.ts'
import { allowOrigin } from './cors.ts'
import { renderFailure } from './dialect.ts'
import { JSON_TYPE } from './envelope.ts'
import { sendOutflow } from './outflow.ts'
import type { Hallway } from './plan.ts'
import type { Slot } from './ports.ts'
import type { Dialect } from './route.ts'
import { discardBody } from './body.ts'

/** The only way out: every answer, good or bad, passes here once. */
export function send(
  hallway: Hallway,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): void {
  const walk = request.walk
  reply.code(answer.status).headers(hallway.standardHeaders).header('x-request-id', request.id)
  if (hallway.corsOrigin !== undefined) allowOrigin(hallway.corsOrigin, request, reply)
  if (walk?.slot !== undefined && walk.plan.tellsLimits) tellLimits(reply, walk.slot)
  if (hallway.running.draining) reply.header('connection', 'close')
  reply.headers(answer.headers)
  if (!request.raw.complete) discardBody(request, reply)
  const { body } = answer
  if (body instanceof Readable) sendStream(request, reply, body)
  else if (typeof body === 'object' && 'flow' in body) sendOutflow(request, reply, body)
  else {
    reply.send(body)
    walk?.end()
  }
}

export function sendFailure(
  hallway: Hallway,
  request: FastifyRequest,
  reply: FastifyReply,
  told: { failure: Failure; dialect: Dialect },
): void {
  const { status, headers, body } = renderFailure(told.failure, told.dialect, request.id)
  headers['content-type'] = JSON_TYPE
  send(hallway, request, reply, { status, headers, body })
}

function sendStream(request: FastifyRequest, reply: FastifyReply, body: Readable): void {
  const walk = request.walk
  if (request.method === 'HEAD') {
    // The body of a HEAD is never sent: do not fetch it only to throw it away.
    body.destroy()
    reply.send('')
    walk?.end()
    return
  }
  body.once('close', () => walk?.end())
  reply.send(body)
}

/** Named and formatted as SDKs of the compatible kind know them. */
function tellLimits(reply: FastifyReply, slot: Slot): void {
  reply.header('x-ratelimit-limit-requests', String(slot.limit))
  reply.header('x-ratelimit-remaining-requests', String(slot.remaining))
  reply.header('x-ratelimit-reset-requests', `${slot.resetS}s`)
}
