import type { CallCourse } from '../lib/telemetry/call-course.ts'
import { Failure } from '../lib/failure.ts'
import type { Fields } from '../lib/json.ts'
import type { Log } from '../lib/log.ts'
import type { CallSignal } from '../lib/telemetry/trace.ts'
import {
  connectionTo,
  namesOf,
  OPERATIONS,
  prepareAttempt,
  type UpstreamAttempt,
  type UpstreamParts,
} from './attempt.ts'
import type { ModelTarget, NativeRequest, Timeouts } from './contract/contract.ts'
import {
  failureOf,
  isFinal,
  RefusedAnswer,
  UpstreamError,
  maybeAccepted,
  rateLimited,
  classifyError,
  unavailable,
} from './contract/upstream-error.ts'
import type { UsageReading } from './contract/usage.ts'
import { UpstreamHealth } from './health/health.ts'
import { choose, sessionDraw } from './health/circuit.ts'
import { checkUpstream, healthSummary, probeUpstreams, readUpstreamCatalog } from './maintenance.ts'
import type { UpstreamConfig } from './upstreams-file.ts'
import {
  modelIn,
  namesTold,
  traceAttempt,
  type Followed,
  type Told,
  type Tried,
} from './followed.ts'
import { createHttpSender } from './wire/send.ts'
import type { Upstreams, Work } from './work.ts'

const MOST_ATTEMPTS = 3

export type UpstreamsOptions = {
  upstreams: readonly UpstreamConfig[]
  log: Log
  timeouts?: Partial<Timeouts>
  nowMs?: () => number
  random?: () => number
  meter?: UpstreamParts['meter']
}

export function openUpstreams(options: UpstreamsOptions): Upstreams {
  const nowMs = options.nowMs ?? Date.now
  const parts: UpstreamParts = {
    connections: new Map(options.upstreams.map((config) => [config.name, connectionTo(config)])),
    sender: createHttpSender(options.timeouts),
    health: new UpstreamHealth(nowMs, options.log),
    log: options.log,
    nowMs,
    random: options.random ?? Math.random,
    meter: options.meter,
    drained: new Set(),
  }
  return {
    call: (targets, name, request, asking) =>
      call(parts, targets, { name, request, signal: asking?.signal, course: asking?.course }),
    ask: (target, name, request, signal) =>
      ask(parts, target, { name, request, signal, course: undefined }),
    order: (targets, name, session) => inOrder(parts, targets, name, session),
    can: (targets, name) => capable(parts, targets, name).length > 0,
    speaks: (target, dialect) =>
      parts.connections.get(target.upstream)?.provider.natively?.(dialect, target) !== undefined,
    parsesFiles: ({ upstream }) => parts.connections.get(upstream)?.provider.parsesFiles === true,
    keepsNothing: ({ upstream }) =>
      parts.connections.get(upstream)?.provider.keepsNothing !== undefined,
    catalog: (upstream, signal) => readUpstreamCatalog(parts, upstream, signal),
    list: options.upstreams.map(
      ({ baseUrl: _url, apiKey: _key, timeouts: _t, passFields: _p, ...shown }) => shown,
    ),
    check: (upstream) => checkUpstream(parts, upstream),
    probe: (signal) => probeUpstreams(parts, signal),
    drain: (names) => {
      parts.drained = names
    },
    health: () => healthSummary(parts),
    problems: () => parts.health.problems(),
    takeCounts: () => parts.health.takeCounts(),
    close: () => parts.sender.close(),
  }
}

type WorkItem<Name extends keyof Work> = {
  name: Name
  request: Work[Name]['request']
  signal: CallSignal | undefined
  course: CallCourse | undefined
}

/** Only what the caller did not cause, and nobody has done, is tried elsewhere. */
async function call<Name extends keyof Work>(
  parts: UpstreamParts,
  targets: readonly ModelTarget[],
  work: WorkItem<Name>,
): Promise<Work[Name]['result']> {
  const candidates = inOrder(parts, targets, work.name, sessionOf(work.request))
  let last: Failure | undefined
  for (const [index, target] of candidates.slice(0, MOST_ATTEMPTS).entries()) {
    const outcome = await tryTarget(parts, work, target)
    if ('result' in outcome) return outcome.result
    last = outcome.failure
    last.unanswered = !outcome.made
    if (work.signal?.aborted) break
    parts.log.warn('An attempt at an upstream failed.', {
      upstream: target.upstream,
      model: target.model,
      reason: outcome.reason,
      attempt: index + 1,
    })
    if (outcome.final) break
  }
  throw last!
}

/** Only chats are parts of a conversation. */
function sessionOf(request: Work[keyof Work]['request']): string | undefined {
  return 'session' in request ? request.session : undefined
}

/** Work of jobs already begun is also done at drained upstreams. */
const CONTINUES: ReadonlySet<keyof Work> = new Set(['videoStatus', 'videoContent'])
const DRAINED_RETRY_S = 60

/** One attempt, independent of health. */
async function ask<Name extends keyof Work>(
  parts: UpstreamParts,
  target: ModelTarget,
  work: WorkItem<Name>,
): Promise<Work[Name]['result']> {
  if (capable(parts, [target], work.name).length === 0) throw unsuitableWork()
  const outcome = await tryTarget(parts, work, target)
  if ('result' in outcome) return outcome.result
  throw outcome.failure
}

/** The capable targets in the order to be tried. */
function inOrder<Target extends ModelTarget>(
  parts: UpstreamParts,
  targets: readonly Target[],
  name: keyof Work,
  session?: string,
): Target[] {
  const able = capable(parts, targets, name)
  if (able.length === 0) throw unanswered(unsuitableWork())
  const { connections, health, drained } = parts
  const asked = CONTINUES.has(name) ? able : able.filter(({ upstream }) => !drained.has(upstream))
  if (asked.length === 0) throw unanswered(unavailable(DRAINED_RETRY_S))
  const candidates = asked.map((target) => {
    const { priority, weight } = connections.get(target.upstream)!.config
    const circuit = health.circuit(target)
    return { target, priority, weight, circuit, demoted: health.demoted(target.upstream) }
  })
  const draw = session === undefined ? parts.random : sessionDraw(session)
  const choice = choose(candidates, parts.nowMs(), draw)
  if (choice.kind === 'ask') return choice.targets
  const { kind, retryAfterS } = choice
  throw unanswered(kind === 'rate_limited' ? rateLimited(retryAfterS) : unavailable(retryAfterS))
}

function unanswered(failure: Failure): Failure {
  failure.unanswered = true
  return failure
}

function unsuitableWork(): Failure {
  return new Failure('unsuitable', 'This model does not support this kind of request.', {
    param: 'model',
    code: 'model_capability',
  })
}

function capable<Target extends ModelTarget>(
  { connections }: UpstreamParts,
  targets: readonly Target[],
  name: keyof Work,
): Target[] {
  return targets.filter(({ upstream }) => {
    const connection = connections.get(upstream)
    return connection && OPERATIONS[name].capability(connection.provider) !== undefined
  })
}

/** `final`: no other upstream may be asked. `made`: the work was done, or is not wanted any more. */
type FailedAttempt = { failure: Failure; reason: string; final: boolean; made?: boolean }

async function tryTarget<Name extends keyof Work>(
  parts: UpstreamParts,
  work: WorkItem<Name>,
  target: ModelTarget,
): Promise<{ result: Work[Name]['result'] } | FailedAttempt> {
  let attempt: UpstreamAttempt | undefined
  const beganMs = performance.now()
  const { upstream, model } = target
  const followed = followAttempt(parts, work, target)
  const report = (outcome: string) => {
    parts.health.ended(upstream, outcome, performance.now() - beganMs)
    parts.meter?.attempted({ upstream, model, outcome })
  }
  parts.health.begin(target)
  if (work.course) {
    work.course.upstream = upstream
    work.course.attempts += 1
  }
  try {
    attempt = prepareAttempt(parts, work, target, followed)
    if (work.course) work.course.leftOut = attempt.leftOut
    const result = await OPERATIONS[work.name].send(attempt, work.request)
    parts.health.succeeded(target)
    if (work.course && work.name === 'chatStream') {
      work.course.firstByteMs = performance.now() - work.course.beganMs
    }
    report('ok')
    // A stream tells its end itself.
    if (work.name !== 'chatStream') followed.end('ok', result as Told)
    return { result }
  } catch (error) {
    const outcome = attempt === undefined ? 'unsuitable' : outcomeOf(error, attempt)
    report(outcome)
    followed.end(outcome)
    return afterError(parts, { target, attempt, request: work.request }, error)
  }
}

/** Keeps nothing of the request: a stream may run for long. */
function followAttempt(
  { meter, connections }: UpstreamParts,
  work: Tried['work'] & { signal: CallSignal | undefined },
  target: ModelTarget,
): Followed {
  const beganMs = performance.now()
  const connection = connections.get(target.upstream)!
  const { type: provider } = connection.config
  const { upstream, model } = target
  const { name: operation, signal } = work
  const trace = signal?.trace && traceAttempt(signal.trace, { work, target, connection })
  let firstChunkMs: number | undefined
  let answering: string | undefined
  return {
    traceparent: trace?.traceparent,
    firstChunk() {
      firstChunkMs = performance.now() - beganMs
      trace?.firstChunk(firstChunkMs)
    },
    saw: trace && ((json) => void (answering = modelIn(json))),
    end(outcome, told = {}) {
      const durationMs = performance.now() - beganMs
      const counts = countsOf(told.usage)
      const attempt = { upstream, provider, model, operation, outcome, durationMs }
      meter?.ended({ ...attempt, firstChunkMs, input: counts.input, output: counts.output })
      trace?.end(outcome, { ...counts, ...namesTold(told), model: answering })
    },
  }
}

function countsOf(reading: UsageReading | undefined) {
  const used = reading?.kind === 'reported' ? reading.usage : {}
  return {
    input: used.promptTokens,
    output: used.completionTokens,
    cacheRead: used.cachedTokens,
    cacheCreation: used.cacheWriteTokens,
    reasoning: used.reasoningTokens,
  }
}

function outcomeOf(error: unknown, { connection, call }: UpstreamAttempt): string {
  return error instanceof UpstreamError
    ? classifyError(error, connection.provider, call).kind
    : 'error'
}

function afterError(
  { health }: UpstreamParts,
  tried: { target: ModelTarget; attempt: UpstreamAttempt | undefined; request: object },
  error: unknown,
): FailedAttempt {
  const { target, attempt, request } = tried
  if (error instanceof Failure) {
    // This provider's format cannot express the request; another may.
    health.failed(target, { kind: 'rejected', why: 'request' })
    return { failure: error, reason: error.kind, final: false }
  }
  if (!(error instanceof UpstreamError) || attempt === undefined) {
    health.failed(target, { kind: 'aborted' })
    throw error
  }
  const { call, connection } = attempt
  const sent = typeof call.body === 'string' ? call.body : undefined
  const context = { names: namesOf(connection, target), sent, fields: fieldsIn(request) }
  const category = classifyError(error, connection.provider, call, context)
  const failure = failureOf(category, error)
  health.failed(target, category)
  const onlyHere = call.repeatable === false && maybeAccepted(failure)
  const isRejected = category.kind === 'rejected'
  const made = error instanceof RefusedAnswer || (isFinal(category) && !isRejected)
  return { failure, reason: error.message, final: isFinal(category) || onlyHere, made }
}

type AnyRequest = { body?: Fields; native?: NativeRequest | undefined; extra?: Fields | undefined }

/** The names of the caller's fields. Where there is a body, `extra` is ours. */
function fieldsIn(request: AnyRequest): ReadonlySet<string> {
  const { body, native, extra } = request
  const [asked, more] = body === undefined ? [request, extra] : [body, native?.body]
  return new Set([...Object.keys(asked), ...Object.keys(more ?? {})])
}
