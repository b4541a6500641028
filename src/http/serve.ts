import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '../lib/answer.ts'
import { Failure } from '../lib/failure.ts'
import { atTurnsEnd } from '../lib/turn.ts'
import { admit } from './admit.ts'
import { checkBodyHead } from './body.ts'
import { statusOf, toFailure } from './dialect.ts'
import { claimKey, concludeClaim, replayKey } from './replaying.ts'
import { RequestContext } from './request-context.ts'
import type { Dialect, Result, RoutePlan } from './route.ts'
import { validateInput } from './schema.ts'
import { send, sendFailure } from './send.ts'
import type { ServerContext } from './server-context.ts'

export function addRoute(server: FastifyInstance, context: ServerContext, plan: RoutePlan): void {
  server.route({
    method: plan.route.method,
    url: plan.route.path,
    onRequest: (request, reply, done) => enter(context, plan, request, reply, done),
    handler: (request, reply) => serve(context, request, reply),
  })
}

/** First half, before the body is read: room, credential, rate limit, size, type. */
function enter(
  context: ServerContext,
  plan: RoutePlan,
  request: FastifyRequest,
  reply: FastifyReply,
  goOn: (error?: Error) => void,
): void {
  request.call = new RequestContext(context, plan, request, reply)
  try {
    // Liveness, documents and callbacks cost little and are never shed.
    if (plan.route.limit !== 'none') context.capacity.admit(context.running.count)
  } catch (error) {
    return goOn(error as Error)
  }
  admitTogether({ context, request, goOn })
}

type Arrival = { context: ServerContext; request: FastifyRequest; goOn: (error?: Error) => void }

const admitTogether = atTurnsEnd(({ context, request, goOn }: Arrival): void => {
  const call = request.call!
  try {
    const admitted = admit(context, call)
    if (admitted === undefined) checkHead(call, request)
    else return void admitted.then(() => checkHead(call, request)).then(() => goOn(), goOn)
  } catch (error) {
    return goOn(error as Error)
  }
  goOn()
})

function checkHead(call: RequestContext, request: FastifyRequest): void {
  if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
    throw new Failure('invalid', 'The Host header is missing.', { param: 'Host' })
  }
  if (request.raw.url!.includes('%00')) {
    throw new Failure('invalid', 'The address must not contain the NUL character.')
  }
  if (call.plan.bodyKind !== 'none') checkBodyHead(call)
}

/** Second half, with the body at hand: its validation, the replay claim, the handler, the answer. */
function serve(context: ServerContext, request: FastifyRequest, reply: FastifyReply): void {
  const call = request.call!
  let answered: Promise<Result>
  try {
    validateInput(call, { params: request.params, query: request.query, body: request.body })
    // The call has what was read from it: the bytes need not stay as long as the call runs.
    request.body = undefined
    const key = replayKey(call)
    answered = key === undefined ? call.plan.route.handle(call) : replayOrHandle(context, call, key)
  } catch (error) {
    return fail(context, request, reply, error)
  }
  answered.then(
    (result) => succeed(context, request, reply, result),
    (error: unknown) => fail(context, request, reply, error),
  )
}

async function replayOrHandle(
  context: ServerContext,
  call: RequestContext,
  key: string,
): Promise<Result> {
  const kept = await claimKey(context, call, key)
  if (kept !== undefined) return kept
  try {
    const result = await call.plan.route.handle(call)
    const answer = answerOf(call, result)
    await concludeClaim(context, call, answer)
    return answer
  } catch (error) {
    await concludeClaim(context, call, undefined)
    throw error
  }
}

function answerOf(call: RequestContext, result: Result): Answer & { kept?: true } {
  return 'body' in result ? result : call.render(result)
}

function succeed(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  result: Result,
): void {
  const call = request.call!
  // Its handler is through. A stream may run for long, and does not need the body any more.
  call.body = undefined
  try {
    const answer = answerOf(call, result)
    send(context, request, reply, answer)
    logAnswer(context, call, answer.status)
  } catch (error) {
    // An answer that cannot be written, such as one with a line break in a header.
    for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name)
    fail(context, request, reply, error)
  }
}

/** The one catch: whatever a request throws ends here. */
export function fail(
  context: ServerContext,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): void {
  const { call } = request
  const failure = toFailure(error)
  const dialect: Dialect = call?.plan.route.dialect ?? 'envelope'
  sendFailure(context, request, reply, { failure, dialect })
  logAnswer(context, call, statusOf(failure.kind, dialect), failure)
}

function logAnswer(
  context: ServerContext,
  call: RequestContext | null,
  status: number,
  failure?: Failure,
): void {
  if (call === null) return
  // What goes wrong on our side is no failed try either.
  if (status < 400 || status >= 500) call.giveBackSlot?.()
  const durationMs = performance.now() - call.startedMs
  context.meter?.answered(call.plan.name, status, durationMs)
  if (status < 400 && !context.logsSuccesses) return
  const fields = {
    request_id: call.requestId,
    route: call.plan.name,
    status,
    duration_ms: Math.round(durationMs),
    account_id: call.principal?.accountId,
    reason: failure?.kind,
  }
  if (call.left) context.log.info('The caller disconnected.', fields)
  else if (status === 500)
    context.log.error('The request was answered.', { ...fields, error: failure?.cause })
  else if (status > 500)
    context.log.warn('The request was answered.', { ...fields, error: failure })
  else if (status >= 400) context.log.info('The request was answered.', fields)
  else context.log.debug('The request was answered.', fields)
}
