import { Failure } from '../lib/failure.ts'
import type { Log } from '../lib/log.ts'
import type { ModelTarget, Timeouts } from './contract/contract.ts'
import { lineTo, reasonOf, stationOf } from './desk.ts'
import type { Desk } from './desk.ts'
import { failureOf, rateLimited, unavailable } from './failure.ts'
import { Troubled } from './line.ts'
import { choose } from './health/routing.ts'
import { RUNS } from './runs.ts'
import { createSender } from './wire/send.ts'
import { Standing } from './health/health.ts'
import { catalog, health, probe } from './survey.ts'
import type { UpstreamConfig } from './upstreams-file.ts'
import type { Upstreams, Work } from './work.ts'

const MOST_ATTEMPTS = 3

export type UpstreamsOptions = {
  upstreams: readonly UpstreamConfig[]
  log: Log
  timeouts?: Partial<Timeouts>
  nowMs?: () => number
  random?: () => number
}

export function openUpstreams(options: UpstreamsOptions): Upstreams {
  const desk: Desk = {
    stations: new Map(options.upstreams.map((config) => [config.name, stationOf(config)])),
    sender: createSender(options.timeouts),
    standing: new Standing(options.nowMs ?? Date.now, options.log),
    log: options.log,
    nowMs: options.nowMs ?? Date.now,
    random: options.random ?? Math.random,
  }
  return {
    call: (targets, name, request, signal) => call(desk, { targets, name, request, signal }),
    order: (targets, name) => plan(desk, targets, name),
    can: (targets, name) => able(desk, targets, name).length > 0,
    parsesFiles: ({ upstream }) => desk.stations.get(upstream)?.provider.parsesFiles === true,
    catalog: (upstream, signal) => catalog(desk, upstream, signal),
    list: options.upstreams.map(({ baseUrl: _url, apiKey: _key, timeouts: _t, ...shown }) => shown),
    probe: (signal) => probe(desk, signal),
    health: () => health(desk),
    troubles: () => desk.standing.troubles(),
    close: () => desk.sender.close(),
  }
}

type Ask<Name extends keyof Work> = {
  targets: readonly ModelTarget[]
  name: Name
  request: Work[Name]['request']
  signal: AbortSignal | undefined
}

function able<Target extends ModelTarget>(
  desk: Desk,
  targets: readonly Target[],
  name: keyof Work,
): Target[] {
  return targets.filter(({ upstream }) => {
    const station = desk.stations.get(upstream)
    return station !== undefined && RUNS[name].can(station.provider)
  })
}

/** Walks the candidates. Only what is not the caller's fault is tried elsewhere. */
async function call<Name extends keyof Work>(desk: Desk, ask: Ask<Name>) {
  const targets = plan(desk, ask.targets, ask.name)
  let last: Failure | undefined
  for (const [index, target] of targets.slice(0, MOST_ATTEMPTS).entries()) {
    const attempt = await tryOne(desk, ask, target)
    if ('result' in attempt) {
      return { result: attempt.result, upstream: target.upstream, attempts: index + 1 }
    }
    last = attempt.failure
    if (ask.signal?.aborted) break
    desk.log.warn('upstream attempt failed', {
      upstream: target.upstream,
      model: target.model,
      reason: attempt.reason,
      attempt: index + 1,
    })
    if (attempt.final) break
  }
  throw last!
}

function plan<Target extends ModelTarget>(
  desk: Desk,
  given: readonly Target[],
  name: keyof Work,
): Target[] {
  const targets = able(desk, given, name)
  if (targets.length === 0) {
    throw new Failure('unsuitable', 'This model cannot do what is asked of it.', {
      param: 'model',
      code: 'model_capability',
    })
  }
  const candidates = targets.map((target) => {
    const { priority, weight } = desk.stations.get(target.upstream)!.config
    const circuit = desk.standing.circuit(target)
    return { target, priority, weight, circuit, demoted: desk.standing.demoted(target.upstream) }
  })
  const choice = choose(candidates, desk.nowMs(), desk.random)
  if (choice.kind === 'ask') return choice.targets
  throw choice.kind === 'rate_limited'
    ? rateLimited(choice.retryAfterS)
    : unavailable(choice.retryAfterS)
}

type Attempt<Result> = { result: Result } | { failure: Failure; reason: string; final: boolean }

async function tryOne<Name extends keyof Work>(
  desk: Desk,
  ask: Ask<Name>,
  target: ModelTarget,
): Promise<Attempt<Work[Name]['result']>> {
  const line = lineTo(desk, target, ask.signal)
  desk.standing.begin(target)
  try {
    const result = await RUNS[ask.name].run(line, ask.request)
    desk.standing.succeeded(target)
    return { result }
  } catch (error) {
    return afterError(desk, target, error)
  }
}

function afterError(desk: Desk, target: ModelTarget, error: unknown) {
  if (error instanceof Failure) {
    // The request cannot be said in this provider's words; another's may have them.
    desk.standing.failed(target, { kind: 'rejected', why: 'request' })
    return { failure: error, reason: error.kind, final: false }
  }
  if (!(error instanceof Troubled)) {
    desk.standing.failed(target, { kind: 'aborted' })
    throw error
  }
  desk.standing.failed(target, error.trouble)
  const { kind } = error.trouble
  const callers = kind === 'rejected' || kind === 'oversized' || kind === 'aborted'
  return {
    failure: failureOf(error.trouble, error.cause),
    reason: reasonOf(error),
    final: callers || !error.mayRepeat,
  }
}
