import type { Answer } from '../lib/answer.ts'
import { Failure } from '../lib/failure.ts'
import { batchPerTick } from '../lib/clock.ts'
import { admit } from './admit.ts'
import { checkBodyHead, gatherBody } from './body.ts'
import { claimKey, concludeClaim, findFinished, replayKey } from './replaying.ts'
import type { RequestContext } from './request-context.ts'
import type { Result } from './route.ts'
import { validateInput } from './schema.ts'
import { fail, logAnswer, send } from './send.ts'

/** Takes a request through the steps of the README: room, credential, rate limit, body, handler. */
export function serveCall(call: RequestContext): void {
  const { context, plan } = call
  try {
    // Liveness, documents and callbacks cost little and are never shed.
    if (plan.route.limit !== 'none') context.capacity.admit(context.running.count)
  } catch (error) {
    return fail(call, error)
  }
  admitTogether(call)
}

/** Before the body is read. */
const admitTogether = batchPerTick((call: RequestContext): void => {
  const refuse = (error: unknown) => fail(call, error)
  try {
    const admitted = admit(call)
    if (admitted === undefined) admitBody(call)
    else admitted.then(() => admitBody(call)).catch(refuse)
  } catch (error) {
    refuse(error)
  }
})

function admitBody(call: RequestContext): void {
  try {
    readBody(call)
  } catch (error) {
    refuseBody(call, error)
  }
}

function readBody(call: RequestContext): void {
  const { request, plan } = call
  if (request.headers.host === undefined && request.httpVersion === '1.1') {
    throw new Failure('invalid', 'The Host header is missing.', { param: 'Host' })
  }
  if (request.url!.includes('%00')) {
    throw new Failure('invalid', 'The address must not contain the NUL character.')
  }
  const arrives = plan.bodyKind !== 'none' && checkBodyHead(call)
  if (arrives) gatherBody(call, request, (bytes) => handle(call, bytes))
  else handle(call, undefined)
}

/** Validation, the claim of the idempotency key, the handler, the answer. */
function handle(call: RequestContext, bytes: Buffer | undefined): void {
  let answered: Promise<Result>
  try {
    validateInput(call, bytes)
    const key = replayKey(call)
    answered = key === undefined ? call.plan.route.handle(call) : replayOrHandle(call, key)
  } catch (error) {
    return refuseBody(call, error)
  }
  answered.then(
    (result) => succeed(call, result),
    (error: unknown) => fail(call, error),
  )
}

/** A key that was finished is replayed whatever the body is now. */
function refuseBody(call: RequestContext, error: unknown): void {
  if (call.headers['idempotency-key'] === undefined) return fail(call, error)
  findFinished(call).then(
    (stored) => (stored === undefined ? fail(call, error) : succeed(call, stored)),
    (other: unknown) => fail(call, other),
  )
}

async function replayOrHandle(call: RequestContext, key: string): Promise<Result> {
  const stored = await claimKey(call, key)
  if (stored !== undefined) return stored
  try {
    const result = await call.plan.route.handle(call)
    const answer = answerOf(call, result)
    await concludeClaim(call, answer)
    return answer
  } catch (error) {
    await concludeClaim(call, undefined)
    throw error
  }
}

function answerOf(call: RequestContext, result: Result): Answer & { kept?: true } {
  return 'body' in result ? result : call.render(result)
}

function succeed(call: RequestContext, result: Result): void {
  // The handler is done. A stream may run for long and does not need the body any more.
  call.body = undefined
  try {
    const answer = answerOf(call, result)
    send(call, answer)
    logAnswer(call, answer.status)
  } catch (error) {
    // An answer that cannot be written, such as one with a line break in a header.
    fail(call, error)
  }
}
