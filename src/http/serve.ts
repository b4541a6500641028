import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Answer } from '../lib/answer.ts'
import { Failure } from '../lib/failure.ts'
import { admit } from './admit.ts'
import { judgeBodyHead } from './body.ts'
import { statusOf } from './dialect.ts'
import type { Hallway, Plan } from './plan.ts'
import { claimKey, concludeClaim, replayKey } from './replaying.ts'
import type { Dialect, Result } from './route.ts'
import { judgeInput } from './schema.ts'
import { send, sendFailure } from './send.ts'
import { asFailure } from './translate.ts'
import { Walk } from './walk.ts'

/** First half of the walk, before the body is read: credential, slot, size, type. */
export function enter(
  hallway: Hallway,
  plan: Plan,
  request: FastifyRequest,
  reply: FastifyReply,
  goOn: (error?: Error) => void,
): void {
  const walk = new Walk(hallway, plan, request, reply)
  request.walk = walk
  try {
    // Liveness, documents and callbacks cost little and are never shed.
    if (plan.route.limit !== 'none') hallway.capacity.admit(hallway.running.count)
    const admitted = admit(hallway, walk, request.raw.rawHeaders)
    if (admitted === undefined) judgeHead(walk, request)
    else return void admitted.then(() => judgeHead(walk, request)).then(() => goOn(), goOn)
  } catch (error) {
    return goOn(error as Error)
  }
  goOn()
}

function judgeHead(walk: Walk, request: FastifyRequest): void {
  if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
    throw new Failure('invalid', 'The Host header is missing.', { param: 'Host' })
  }
  if (request.raw.url!.includes('%00')) {
    throw new Failure('invalid', 'The address must not contain the NUL character.')
  }
  if (walk.plan.bodyKind !== 'none') judgeBodyHead(walk.plan, walk)
}

/** Second half, with the body at hand: its merits, the replay claim, the handler, the answer. */
export function serve(hallway: Hallway, request: FastifyRequest, reply: FastifyReply): void {
  const walk = request.walk!
  const { plan } = walk
  let answered: Promise<Result>
  try {
    judgeInput(plan, walk, { params: request.params, query: request.query, body: request.body })
    // What was read from it is in the walk: the bytes need not stay as long as the call runs.
    request.body = undefined
    const key = replayKey(plan, walk, request.raw.rawHeaders)
    answered = key === undefined ? plan.route.handle(walk) : replayOrHandle(hallway, walk, key)
  } catch (error) {
    return fail(hallway, request, reply, error)
  }
  answered.then(
    (result) => succeed(hallway, request, reply, result),
    (error: unknown) => fail(hallway, request, reply, error),
  )
}

async function replayOrHandle(hallway: Hallway, walk: Walk, key: string): Promise<Result> {
  const kept = await claimKey(hallway, walk, key)
  if (kept !== undefined) return kept
  try {
    const result = await walk.plan.route.handle(walk)
    const answer = answerOf(walk, result)
    await concludeClaim(hallway, walk, answer)
    return answer
  } catch (error) {
    await concludeClaim(hallway, walk, undefined)
    throw error
  }
}

function answerOf(walk: Walk, result: Result): Answer & { kept?: true } {
  return 'body' in result ? result : walk.render(result)
}

function succeed(
  hallway: Hallway,
  request: FastifyRequest,
  reply: FastifyReply,
  result: Result,
): void {
  const walk = request.walk!
  try {
    const answer = answerOf(walk, result)
    send(hallway, request, reply, answer)
    tell(hallway, walk, answer.status)
  } catch (error) {
    // An answer that cannot be written, such as one with a line break in a header.
    for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name)
    fail(hallway, request, reply, error)
  }
}

/** The one catch: every throw of a walk ends here. */
export function fail(
  hallway: Hallway,
  request: FastifyRequest,
  reply: FastifyReply,
  error: unknown,
): void {
  const walk = request.walk
  const failure = asFailure(error)
  const dialect: Dialect = walk?.plan.route.dialect ?? 'envelope'
  sendFailure(hallway, request, reply, { failure, dialect })
  tell(hallway, walk, statusOf(failure.kind), failure)
}

function tell(hallway: Hallway, walk: Walk | null, status: number, failure?: Failure): void {
  if (walk === null) return
  const durationMs = performance.now() - walk.startedMs
  hallway.observe?.(walk.plan.name, status, durationMs)
  if (status < 400 && !hallway.tellsAll) return
  const fields = {
    request_id: walk.requestId,
    route: walk.plan.name,
    status,
    duration_ms: Math.round(durationMs),
    ...(walk.principal === undefined ? {} : { account_id: walk.principal.accountId }),
    ...(failure === undefined ? {} : { reason: failure.kind }),
  }
  if (walk.left) hallway.log.info('the caller left', fields)
  else if (status === 500) hallway.log.error('answered', { ...fields, error: failure?.cause })
  else if (status > 500) hallway.log.warn('answered', { ...fields, error: failure })
  else if (status >= 400) hallway.log.info('answered', fields)
  else hallway.log.debug('answered', fields)
}
