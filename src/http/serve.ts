import type { Answer, StorableAnswer } from '../lib/answer.ts'
import { Failure } from '../lib/failure.ts'
import { batchPerTick } from '../lib/clock.ts'
import { isFields } from '../lib/json.ts'
import { admit } from './admit.ts'
import { checkBodyHead, gatherBody } from './body.ts'
import type { RequestContext } from './request-context.ts'
import type { Result } from './route.ts'
import { validateInput } from './schema.ts'
import { fail, logAnswer, send } from './send.ts'

/** Takes a request through the steps of the README: room, credential, rate limit, body, handler. */
export function serveCall(call: RequestContext): void {
  if (hasRoom(call)) admitTogether(call)
}

/** A message of a socket is a body that is all there: the same steps. */
export function serveMessage(call: RequestContext, bytes: Buffer): void {
  const take = () => {
    call.bodyFailure = call.holdBody(bytes.length)
    handle(call, bytes)
  }
  if (hasRoom(call)) admitThen(call, take)
}

function hasRoom(call: RequestContext): boolean {
  const { context, plan } = call
  try {
    // Liveness, documents and callbacks cost little and are never shed.
    if (plan.route.limit !== 'none') context.capacity.admit(context.running.count)
    return true
  } catch (error) {
    fail(call, error)
    return false
  }
}

/** Before the body is read. */
const admitTogether = batchPerTick((call: RequestContext) => admitThen(call, admitBody))

function admitThen(call: RequestContext, step: (call: RequestContext) => void): void {
  const refuse = (error: unknown) => fail(call, error)
  try {
    const admitted = admit(call)
    if (admitted === undefined) step(call)
    else admitted.then(() => step(call)).catch(refuse)
  } catch (error) {
    refuse(error)
  }
}

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

function answerOf(call: RequestContext, result: Result): Answer & { stored?: true } {
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

const PRINTABLE = /^[\x20-\x7e]{1,255}$/

/** The idempotency key this request asks to be remembered by, if the route remembers at all. */
function replayKey(call: RequestContext): string | undefined {
  const { replay } = call.plan.route
  if (replay === undefined || replay === false || call.principal === undefined) return undefined
  const key = call.headers['idempotency-key']
  if (key === undefined) return undefined
  // The body may be one that is refused.
  if (typeof replay === 'function' && isFields(call.body) && !replay(call.body)) return undefined
  const valid = typeof key === 'string' && PRINTABLE.test(key)
  if (valid && call.occurrences('idempotency-key') === 1) return key
  throw new Failure(
    'invalid',
    'The Idempotency-Key header must be sent once, with 1 to 255 printable ASCII characters.',
    { param: 'Idempotency-Key' },
  )
}

/** The stored answer, when this request was answered before; else the call holds the claim. */
async function claimKey(call: RequestContext, key: string): Promise<Answer | undefined> {
  const outcome = await call.context.storedAnswers.claim({
    accountId: call.principal!.accountId,
    key,
    route: call.plan.name,
  })
  call.context.meter?.replayed(outcome.state)
  if (outcome.state === 'stored') return marked(outcome.answer)
  if (outcome.state === 'over_budget') throw storageFull(outcome.retryAfterS)
  if (outcome.state !== 'claimed') throw conflict(outcome.state)
  call.claim = outcome.claim
  return undefined
}

/** The stored answer for a request whose body is refused. Nothing is claimed. */
async function findFinished(call: RequestContext): Promise<Answer | undefined> {
  const key = replayKey(call)
  if (key === undefined) return undefined
  const { storedAnswers, meter } = call.context
  const { accountId } = call.principal!
  const found = await storedAnswers.find({ accountId, key, route: call.plan.name })
  if (found === undefined) return undefined
  meter?.replayed(found.state)
  if (found.state !== 'stored') throw conflict(found.state)
  return marked(found.answer)
}

function marked(answer: Answer): Answer {
  return { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } }
}

/** SDKs retry a 409 by themselves: right while the first call runs, pointless otherwise. */
function conflict(state: 'running' | 'other_route'): Failure {
  const running = state === 'running'
  return new Failure(
    'idempotency_conflict',
    running
      ? 'A request with this Idempotency-Key is still running. Wait for it to end.'
      : 'This Idempotency-Key was used for a different request. Choose a new one.',
    {
      param: 'Idempotency-Key',
      retryAfterS: running ? 2 : undefined,
      headers: running ? undefined : { 'x-should-retry': 'false' },
    },
  )
}

/** Before any work: an answer that could not be stored would be charged again on the retry. */
function storageFull(retryAfterS: number): Failure {
  return new Failure(
    'rate_limited',
    'The idempotency storage of this account is full; answers are stored for 24 hours. Leave out the Idempotency-Key header, or wait.',
    { param: 'Idempotency-Key', retryAfterS, headers: { 'x-should-retry': 'false' } },
  )
}

/** Stores a good answer before it is sent; anything else frees the key for the caller's retry. */
async function concludeClaim(
  call: RequestContext,
  answer: (Answer & { stored?: true }) | undefined,
): Promise<void> {
  const claim = call.claim
  if (claim === undefined || answer?.stored === true) return
  try {
    if (answer !== undefined && isStorable(answer)) {
      const headers = { 'x-request-id': call.requestId, ...answer.headers }
      await call.context.storedAnswers.store(claim, { ...answer, headers })
    } else await call.context.storedAnswers.free(claim)
  } catch (error) {
    // The work is done and its answer good: it is sent even though a retry will not find it.
    call.context.log.error(
      'The answer to an idempotent call could not be stored, or its key not freed.',
      {
        request_id: call.requestId,
        route: call.plan.name,
        error,
      },
    )
  }
}

function isStorable(answer: Answer): answer is StorableAnswer {
  const isComplete = typeof answer.body === 'string' || Buffer.isBuffer(answer.body)
  return answer.status >= 200 && answer.status < 300 && isComplete
}
